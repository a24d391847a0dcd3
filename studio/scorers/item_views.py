"""Saving what a score was about as a dataset item."""

from __future__ import annotations

from django.http import HttpResponse
from django.views.decorators.http import require_http_methods

from studio.web.access import project_page
from studio.web.http import Request


@project_page(read="editor")
@require_http_methods(["GET", "HEAD", "POST"])
def save_item(request: Request, slug: str, pk: int) -> HttpResponse:
    """A dataset item proposed from a score, to be changed and saved."""
    return HttpResponse("")
