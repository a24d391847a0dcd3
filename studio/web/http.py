"""What every view works with: the request as we know it, and pages answered whole or in part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django_htmx.middleware import HtmxDetails

    from studio.accounts.models import Member, Project


class Request(HttpRequest):
    """A request on a project page: somebody signed in, a project, and what they may do in it."""

    user: User
    htmx: HtmxDetails
    project: Project
    member: Member


def render_page(
    request: HttpRequest,
    template: str,
    *,
    part: str | None = None,
    context: Mapping[str, object] | None = None,
    status: int = 200,
) -> HttpResponse:
    """The whole page, or for htmx exactly its part (a boosted or history request gets the page)."""
    htmx: HtmxDetails = getattr(request, "htmx")  # noqa: B009 - set by the middleware
    partial = part is not None and bool(htmx) and not htmx.history_restore_request
    name = part if partial and part is not None else template
    response = render(request, name, dict(context or {}), status=status)
    response["Vary"] = "HX-Request"
    return response


def project_context(request: HttpRequest) -> dict[str, object]:
    """`project` and `member` for templates of project pages."""
    return {
        "project": getattr(request, "project", None),
        "member": getattr(request, "member", None),
    }
