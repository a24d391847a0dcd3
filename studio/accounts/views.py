"""Signing in and out, and a project's settings."""

from __future__ import annotations

from typing import Any

from axes.utils import reset
from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AdminPasswordChangeForm, AuthenticationForm
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from studio.accounts import audit
from studio.accounts.forms import MemberForm, NewProjectForm, TokenForm
from studio.accounts.models import AuditEntry, Member, Role
from studio.accounts.sign_in import use_link
from studio.accounts.tokens import make_token
from studio.web.access import project_page
from studio.web.http import Request, render_page
from studio.web.paging import page_of

BACKEND = "django.contrib.auth.backends.ModelBackend"


def person(request: HttpRequest) -> User:
    """Who is signed in, on pages that ask for that."""
    return get_object_or_404(User, pk=request.user.pk)


@login_required
@require_safe
def start(request: HttpRequest) -> HttpResponse:
    """The first project of whoever is signed in."""
    member = Member.objects.filter(user=person(request)).select_related("project").first()
    if member is None:
        return render(request, "accounts/no_project.html")
    return redirect("home", member.project.slug)


@require_http_methods(["GET", "HEAD", "POST"])
def sign_in_link(request: HttpRequest, token: str) -> HttpResponse:
    """Sign the owner of a one-time link in; a GET only offers it, so that previews use it not."""
    if request.method != "POST":
        return render(request, "accounts/sign_in_link.html", {"token": token})
    user = use_link(token)
    if user is None:
        return render(request, "accounts/link_over.html", status=410)
    login(request, user, backend=BACKEND)
    return redirect("start")


class SignIn(LoginView):
    """An ordinary login page; unknown and known accounts answer alike."""

    http_method_names = ["get", "head", "post", "options"]
    template_name = "accounts/sign_in.html"
    redirect_authenticated_user = True

    def get_redirect_url(self, *args: Any, **kwargs: Any) -> str:
        """Where `next` leads, if that is a path of ours."""
        target: str = super().get_redirect_url(*args, **kwargs)
        return target if target.startswith("/") else ""

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Let the person in and forget earlier wrong tries."""
        reset(username=form.get_user().get_username())
        return super().form_valid(form)


@project_page(role="admin", read="viewer")
@require_safe
def settings(request: Request) -> HttpResponse:
    """The project's people, tokens and your password."""
    context: dict[str, Any] = {
        "nav": "settings",
        "members": request.project.members.select_related("user").order_by("user__username"),
        "tokens": request.project.tokens.select_related("user").order_by("-pk"),
        "token_form": TokenForm(),
        "member_form": MemberForm(),
    }
    return render_page(request, "accounts/settings.html", context=context)


@project_page(role="editor")
@require_POST
def token_create(request: Request) -> HttpResponse:
    """A new token, shown this once."""
    form = TokenForm(request.POST)
    if not form.is_valid():
        context = {"nav": "settings", "token_form": form}
        return render_page(request, "accounts/token_form.html", context=context, status=422)
    values = form.cleaned_data
    token, text = make_token(
        request.project,
        request.user,
        values["name"],
        values["scope"],
        form.expires_at(),
    )
    audit.record("create token", actor=request.user, project=request.project, target=token)
    context = {"nav": "settings", "token": token, "text": text}
    return render_page(request, "accounts/token_made.html", context=context)


@project_page(role="editor")
@require_POST
def token_revoke(request: Request, pk: int) -> HttpResponse:
    """End a token at once: your own, or as an admin anyone's."""
    tokens = request.project.tokens.all()
    if request.member.role != Role.ADMIN:
        tokens = tokens.filter(user=request.user)
    token = get_object_or_404(tokens, pk=pk)
    tokens.filter(pk=pk, revoked_at=None).update(revoked_at=timezone.now())
    audit.record("revoke token", actor=request.user, project=request.project, target=token)
    messages.success(request, f"{token.name} no longer works.")
    return redirect("accounts:settings", request.project.slug)


@project_page(role="admin")
@require_POST
def member_save(request: Request) -> HttpResponse:
    """Give somebody a role, or another one."""
    form = MemberForm(request.POST)
    if not form.is_valid():
        context = {"nav": "settings", "member_form": form}
        return render_page(request, "accounts/member_form.html", context=context, status=422)
    user: User = form.cleaned_data["username"]
    if user == request.user:
        messages.error(request, "Another admin has to change your own role.")
        return redirect("accounts:settings", request.project.slug)
    member, _ = Member.objects.update_or_create(
        project=request.project, user=user, defaults={"role": form.cleaned_data["role"]}
    )
    audit.record("set role", actor=request.user, project=request.project, target=member)
    return redirect("accounts:settings", request.project.slug)


@project_page(role="admin")
@require_POST
def member_remove(request: Request, pk: int) -> HttpResponse:
    """Take somebody's access to the project away."""
    member = get_object_or_404(request.project.members.exclude(user=request.user), pk=pk)
    audit.record("remove member", actor=request.user, project=request.project, target=member)
    member.delete()
    return redirect("accounts:settings", request.project.slug)


@project_page(read="admin", role="admin")
@require_safe
def audit_list(request: Request) -> HttpResponse:
    """Who did what in this project."""
    rows = page_of(request.GET, AuditEntry.objects.filter(project_id=request.project.pk))
    return render_page(request, "accounts/audit.html", context={"nav": "settings", "entries": rows})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def password(request: HttpRequest) -> HttpResponse:
    """Set your password; every other session of yours ends."""
    user = person(request)
    form = AdminPasswordChangeForm(user, request.POST or None)
    if request.method == "POST" and form.is_valid():
        form.save()
        update_session_auth_hash(request, user)
        audit.record("set password", actor=user)
        messages.success(request, "Your password is set.")
        return redirect("start")
    status = 422 if form.is_bound else 200
    return render(request, "accounts/password.html", {"form": form}, status=status)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def project_create(request: HttpRequest) -> HttpResponse:
    """A new project, owned by whoever makes it."""
    form = NewProjectForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        made = form.save()
        Member.objects.create(project=made, user=person(request), role=Role.ADMIN)
        audit.record("create project", actor=request.user, project=made, target=made)
        return HttpResponseRedirect(reverse("home", args=[made.slug]))
    status = 422 if form.is_bound else 200
    return render(request, "accounts/project_form.html", {"form": form}, status=status)
