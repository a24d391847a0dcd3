"""People and projects that all tests share: Ada owns it, Bo may only read, Cy is a stranger."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from studio.accounts.models import Member, Project, Role


@pytest.fixture
def project(db: None) -> Project:
    """Ada's project."""
    return Project.objects.create(slug="demo", name="Demo")


@pytest.fixture
def other_project(db: None) -> Project:
    """Cy's project."""
    return Project.objects.create(slug="other", name="Other")


@pytest.fixture
def ada(project: Project) -> User:
    """She owns the project."""
    user = User.objects.create_user("ada", "ada@example.org")
    Member.objects.create(project=project, user=user, role=Role.ADMIN)
    return user


@pytest.fixture
def bo(project: Project) -> User:
    """He may only read."""
    user = User.objects.create_user("bo", "bo@example.org")
    Member.objects.create(project=project, user=user, role=Role.VIEWER)
    return user


@pytest.fixture
def cy(other_project: Project) -> User:
    """A stranger, who owns another project."""
    user = User.objects.create_user("cy", "cy@example.org")
    Member.objects.create(project=other_project, user=user, role=Role.ADMIN)
    return user


def signed_in(user: User) -> Client:
    """A browser in which `user` is signed in."""
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def ada_client(ada: User) -> Client:
    """Ada's browser."""
    return signed_in(ada)


@pytest.fixture
def bo_client(bo: User) -> Client:
    """Bo's browser."""
    return signed_in(bo)


@pytest.fixture
def cy_client(cy: User) -> Client:
    """Cy's browser."""
    return signed_in(cy)
