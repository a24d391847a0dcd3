"""What settings name for every API call: who may call, and strict JSON in and out.

These live apart from `rest.py` because REST framework loads them while its views are imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import orjson
from django.http import Http404
from rest_framework import exceptions
from rest_framework.parsers import BaseParser
from rest_framework.permissions import BasePermission
from rest_framework.renderers import JSONRenderer as PlainJSONRenderer

from studio.web.access import SAFE_METHODS, may, member_of
from studio.web.text import TooDeep, check_depth

if TYPE_CHECKING:
    from rest_framework.request import Request
    from rest_framework.views import APIView

MAX_SAFE_INTEGER = 2**53 - 1


class ProjectPermission(BasePermission):
    """Members only, by role; tokens only for their project and scope."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """True when the caller may use this method; a foreign project is 404."""
        if not request.user.is_authenticated:
            return False
        slug = view.kwargs.get("project")
        token: Any = request.auth
        safe = request.method in SAFE_METHODS
        if slug is None:
            check_scope(token, safe)
            return True
        if token is not None and token.project.slug != slug:
            raise Http404
        member = member_of(request.user, slug)
        check_scope(token, safe)
        request.project, request.member = member.project, member  # type: ignore[attr-defined]
        return may(member, "viewer" if safe else getattr(view, "write_role", "editor"))


def check_scope(token: Any, safe: bool) -> None:
    """403 for a token, if there is one, whose scope does not cover the call."""
    if token is not None and token.scope != "write" and not (safe and token.scope == "read"):
        raise exceptions.PermissionDenied(f"This token may only {token.scope}.")


class JSONParser(BaseParser):
    """Strict JSON: an object, without NaN or nesting beyond 100 levels."""

    media_type = "application/json"

    def parse(
        self, stream: Any, media_type: str | None = None, parser_context: Any = None
    ) -> dict[str, Any]:
        """The parsed body; anything that is not a JSON object is a 400 that says where."""
        body = stream.read()
        try:
            check_depth(body)
            data = orjson.loads(body or b"{}")
        except (orjson.JSONDecodeError, TooDeep) as error:
            raise exceptions.ParseError(f"The body is not accepted JSON: {error}") from error
        if not isinstance(data, dict):
            raise exceptions.ParseError("The body is not a JSON object.")
        return data


class JSONRenderer(PlainJSONRenderer):
    """Strict JSON; integers that browsers would round leave as strings."""

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Any = None,
    ) -> bytes:
        """The bytes of `data`."""
        if data is None:
            return b""
        return orjson.dumps(exact(data), default=str, option=orjson.OPT_NON_STR_KEYS)


def exact(value: Any) -> Any:
    """`value` with every integer above 2^53 - 1 as text."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return str(value) if abs(value) > MAX_SAFE_INTEGER else value
    if isinstance(value, Mapping):
        return {k: exact(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [exact(v) for v in value]
    return value
