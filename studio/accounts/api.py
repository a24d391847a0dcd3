"""Who am I, and which projects may I see."""

from __future__ import annotations

from typing import Any

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from studio.accounts import schema  # noqa: F401 - OpenAPI learns of our tokens with the pages
from studio.accounts.models import Member


class MembershipSerializer(serializers.ModelSerializer[Member]):
    """A project and your role in it."""

    slug = serializers.CharField(source="project.slug")
    name = serializers.CharField(source="project.name")

    class Meta:
        model = Member
        fields = ("slug", "name", "role")


class ProjectsSerializer(serializers.Serializer[Any]):
    """All your projects."""

    results = MembershipSerializer(many=True)


class ProjectList(APIView):
    """Your projects; a token sees its own."""

    @extend_schema(operation_id="projects_list", responses=ProjectsSerializer, tags=["projects"])
    def get(self, request: Request) -> Response:
        """The projects that the caller may see, with their role in each."""
        members = Member.objects.filter(user_id=request.user.pk or 0).select_related("project")
        token: Any = request.auth
        if token is not None:
            members = members.filter(project_id=token.project_id)
        rows = MembershipSerializer(members.order_by("project__name"), many=True).data
        return Response({"results": rows})


urlpatterns = [path("projects/", ProjectList.as_view(), name="api-projects")]
