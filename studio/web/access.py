"""Who may see what: by project, deny by default."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeAlias, overload

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse

if TYPE_CHECKING:
    from studio.accounts.models import Member

View: TypeAlias = Callable[..., HttpResponse]
RANK = {"viewer": 0, "editor": 1, "admin": 2}
SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}


def member_of(user: Any, slug: str) -> Member:
    """The membership of `user` in a project; a foreign project looks like none at all (404)."""
    if not user.is_authenticated:
        raise Http404
    member = user.memberships.select_related("project").filter(project__slug=slug).first()
    if member is None:
        raise Http404
    found: Member = member
    return found


def may(member: Member, role: str) -> bool:
    """The member's role is at least `role`."""
    return RANK[member.role] >= RANK[role]


@overload
def project_page(view: View) -> View: ...


@overload
def project_page(*, role: str = "editor", read: str = "viewer") -> Callable[[View], View]: ...


def project_page(
    view: View | None = None,
    *,
    role: str = "editor",
    read: str = "viewer",
) -> View | Callable[[View], View]:
    """Guard a page of a project: safe methods ask for `read`, the others for `role`.

    Takes the URL's `project`, sets `request.project` and `request.member`; anonymous people are
    sent to sign in, strangers get 404, members of too low a role 403.
    """

    def decorate(inner: View) -> View:
        @wraps(inner)
        def guarded(request: HttpRequest, project: str, **kwargs: Any) -> HttpResponse:
            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path())
            member = member_of(request.user, project)
            if not may(member, read if request.method in SAFE_METHODS else role):
                raise PermissionDenied
            request.project, request.member = member.project, member  # type: ignore[attr-defined]
            return inner(request, **kwargs)

        guarded.project_roles = (read, role)  # type: ignore[attr-defined]
        return guarded

    return decorate(view) if view is not None else decorate
