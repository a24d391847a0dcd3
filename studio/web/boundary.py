"""What comes in by address and form holds nothing that a database cannot hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, QueryDict

from studio.web.text import clean

FORMS = {"application/x-www-form-urlencoded", "multipart/form-data"}
NUL = "\x00"
ESCAPED_NUL, ESCAPED_REPLACEMENT = "%00", "%EF%BF%BD"


class StorableText:
    """NUL becomes U+FFFD in query strings and forms; no page has it in its address.

    Everything else that is not UTF-8 has been replaced by Django when it decoded it.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Clean the query string before anybody reads it."""
        query = request.META.get("QUERY_STRING", "")
        if ESCAPED_NUL in query or NUL in query:
            query = query.replace(ESCAPED_NUL, ESCAPED_REPLACEMENT)
            request.META["QUERY_STRING"] = query.replace(NUL, ESCAPED_REPLACEMENT)
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_view: Any) -> None:
        """Refuse NUL in the address, clean the form that was sent."""
        if NUL in request.path_info:
            raise Http404
        # The API reads its bodies itself.
        if request.content_type not in FORMS or request.path_info.startswith("/api/"):
            return
        sent = pairs(request.POST)
        if any(NUL in name + value for name, value in sent):
            cleaned = QueryDict(mutable=True)
            for name, value in sent:
                cleaned.appendlist(clean(name), clean(value))
            request.POST = cleaned  # type: ignore[assignment]


def pairs(form: QueryDict) -> list[tuple[str, str]]:
    """Every name with each of its values."""
    return [(name, str(value)) for name, values in form.lists() for value in values]
