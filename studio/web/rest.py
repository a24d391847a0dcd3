"""The API's ways: who may call, strict JSON in and out, pages, and problem answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import Http404
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework import exceptions, serializers
from rest_framework.parsers import BaseParser
from rest_framework.permissions import BasePermission
from rest_framework.renderers import JSONRenderer as PlainJSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView, exception_handler

from studio.web.access import SAFE_METHODS, may, member_of
from studio.web.paging import page_of
from studio.web.text import TooDeep, check_depth

MAX_SAFE_INTEGER = 2**53 - 1


class Problem(serializers.Serializer[Any]):
    """What every failed call answers."""

    detail = serializers.CharField()
    code = serializers.CharField()
    errors = serializers.DictField(required=False)


class ProjectPermission(BasePermission):
    """Members only, by role; tokens only for their project and scope."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """True when the caller may use this method; a foreign project is 404."""
        if not request.user.is_authenticated:
            return False
        slug = view.kwargs.get("project")
        if slug is None:
            return True
        token = request.auth
        if token is not None and token.project.slug != slug:
            raise Http404
        member = member_of(request.user, slug)
        safe = request.method in SAFE_METHODS
        if token is not None and not (token.scope == "write" or (safe and token.scope == "read")):
            raise exceptions.PermissionDenied(f"This token may only {token.scope}.")
        request.project, request.member = member.project, member  # type: ignore[attr-defined]
        return may(member, "viewer" if safe else getattr(view, "write_role", "editor"))


class ProjectView(APIView):
    """An API view of one project; `self.project` is the caller's project."""

    write_role = "editor"

    @property
    def project(self) -> Any:
        """The project that the permission check found."""
        return self.request.project

    def page(
        self, rows: QuerySet[Any], serializer: type[serializers.BaseSerializer[Any]],
        *, newest: bool = True,
    ) -> Response:  # fmt: skip
        """One keyset page: {"results": […], "next": query string or null, "previous": …}."""
        found = page_of(self.request.query_params, rows, newest=newest)
        data = serializer(found.rows, many=True, context={"request": self.request}).data
        return Response({"results": data, "next": found.older, "previous": found.newer})


class Schema(AutoSchema):
    """OpenAPI with the problem answers that every call may give."""

    def _get_response_bodies(self, direction: str = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        for status in ("400", "401", "403", "404", "429"):
            problem = OpenApiResponse(Problem, description="What is wrong, and a code for it.")
            bodies.setdefault(status, self._get_response_for_code(problem, status))
        return bodies


PAGE_PARAMETERS = [
    OpenApiParameter("before", int, description="Rows after this id in list order."),
    OpenApiParameter("after", int, description="Rows before this id in list order."),
    OpenApiParameter("limit", int, description="Rows a page, 1 to 200; default 50."),
]


class JSONParser(BaseParser):
    """Strict JSON: no NaN, no nesting beyond 100 levels."""

    media_type = "application/json"

    def parse(
        self, stream: Any, media_type: str | None = None, parser_context: Any = None
    ) -> object:
        """The parsed body; anything that is not JSON is a 400 that says where."""
        body = stream.read()
        try:
            check_depth(body)
            return orjson.loads(body or b"{}")
        except (orjson.JSONDecodeError, TooDeep) as error:
            raise exceptions.ParseError(f"The body is not accepted JSON: {error}") from error


class JSONRenderer(PlainJSONRenderer):
    """Strict JSON; integers that browsers would round leave as strings."""

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None
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


def problem(error: Exception, context: dict[str, Any]) -> Response | None:
    """Every failure as {detail, code}, with the errors by field where there are any."""
    if isinstance(error, Http404):
        error = exceptions.NotFound()
    if isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied()
    response = exception_handler(error, context)
    if response is None or not isinstance(error, exceptions.APIException):
        return response
    if isinstance(error, exceptions.ValidationError):
        errors = response.data if isinstance(response.data, dict) else {"": response.data}
        response.data = {"detail": "Some values were refused.", "code": "invalid", "errors": errors}
    else:
        response.data = {"detail": str(error.detail), "code": str(error.get_codes())}
    return response


def get_or_404(rows: QuerySet[Any], **lookup: object) -> Model:
    """The one row, or 404 with the same body as any other unknown id."""
    found = rows.filter(**lookup).first()
    if found is None:
        raise exceptions.NotFound
    row: Model = found
    return row
