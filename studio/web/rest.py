"""The API's ways: who may call, strict JSON in and out, pages, and problem answers."""

from __future__ import annotations

from typing import Any, Literal

from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import Http404
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework import exceptions, serializers
from rest_framework.response import Response
from rest_framework.views import APIView, exception_handler

from studio.web.paging import page_of


class Problem(serializers.Serializer[Any]):
    """What every failed call answers."""

    detail = serializers.CharField()
    code = serializers.CharField()
    errors = serializers.DictField(required=False)  # type: ignore[assignment] # the answer's name


class ProjectView(APIView):
    """An API view of one project; `self.project` is the caller's project."""

    write_role = "editor"

    @property
    def project(self) -> Any:
        """The project that the permission check found."""
        return getattr(self.request, "project")  # noqa: B009 - set by the permission

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

    def _get_response_bodies(
        self, direction: Literal["request", "response"] = "response"
    ) -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        for status in ("400", "401", "403", "404", "429"):
            problem = OpenApiResponse(Problem, description="What is wrong, and a code for it.")
            bodies.setdefault(status, self._get_response_for_code(problem, status))  # type: ignore[no-untyped-call]
        return bodies


PAGE_PARAMETERS = [
    OpenApiParameter("before", int, description="Rows after this id in list order."),
    OpenApiParameter("after", int, description="Rows before this id in list order."),
    OpenApiParameter("limit", int, description="Rows a page, 1 to 200; default 50."),
]


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
        response.data = {
            "detail": "Some values were refused.",
            "code": "invalid",
            "errors": errors,
        }
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
