"""Making and changing checks, and attaching scorers to agents."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST

from evals_core import checks
from studio.accounts import audit
from studio.scorers.check_form import AttachmentForm, CheckForm, check_kinds
from studio.scorers.models import Scorer
from studio.scorers.save import (
    AttachmentRefused,
    CheckRefused,
    attach_scorer,
    detach_scorer,
    save_check,
    save_version,
)
from studio.scorers.views import scorer_or_404
from studio.web.access import project_page
from studio.web.http import Request, render_page


@project_page(read="editor")
@require_http_methods(["GET", "HEAD", "POST"])
def check_create(request: Request) -> HttpResponse:
    """Choose a kind of check, then give its arguments."""
    kind = checks.CATALOGUE.get(request.GET.get("kind", ""))
    if kind is None:
        context = {"nav": "scorers", "kinds": check_kinds()}
        return render_page(request, "scorers/kinds.html", context=context)
    form = CheckForm(kind, request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            scorer = save_check(
                request.project, kind.kind, form.arguments(),
                name=form.cleaned_data["name"], author=request.user,
            )  # fmt: skip
        except CheckRefused as error:
            form.add_error(None, str(error))
        else:
            audit.record("save check", actor=request.user, project=request.project, target=scorer)
            messages.success(request, f"{scorer.name} is ready.")
            return redirect("scorers:detail", request.project.slug, scorer.slug)
    return form_page(request, form, None)


@project_page(read="editor")
@require_http_methods(["GET", "HEAD", "POST"])
def check_edit(request: Request, slug: str) -> HttpResponse:
    """Change a check: another definition is another version."""
    scorer = scorer_or_404(request, slug)
    spec = scorer.version.spec if scorer.version else {}
    kind = checks.CATALOGUE.get(spec.get("kind", ""))
    if kind is None:
        raise Http404
    form = CheckForm(kind, request.POST if request.method == "POST" else None, scorer=scorer)
    if form.is_bound and form.is_valid():
        name, author = form.cleaned_data["name"], request.user
        try:
            version = save_version(scorer, form.arguments(), name=name, author=author)
        except CheckRefused as error:
            form.add_error(None, str(error))
        else:
            audit.record("save check", actor=request.user, project=request.project, target=scorer)
            messages.success(request, f"{version.name} is now version {version.number}.")
            return redirect("scorers:detail", request.project.slug, slug)
    return form_page(request, form, scorer)


def form_page(request: Request, form: CheckForm, scorer: Scorer | None) -> HttpResponse:
    """The form of a check; 422 when it was refused."""
    context = {"nav": "scorers", "form": form, "kind": form.kind, "scorer": scorer}
    status = 422 if form.is_bound else 200
    return render_page(request, "scorers/check_form.html", context=context, status=status)


@project_page
@require_POST
def attach(request: Request, slug: str) -> HttpResponse:
    """Judge an agent by this scorer."""
    scorer = scorer_or_404(request, slug)
    form = AttachmentForm(request.POST, project=request.project)
    if not form.is_valid():
        context = {"nav": "scorers", "scorer": scorer, "attach_form": form}
        return render_page(request, "scorers/attach.html", context=context, status=422)
    agent = form.cleaned_data.pop("agent")
    attachment = attach_scorer(agent, scorer, **form.cleaned_data)
    audit.record("attach scorer", actor=request.user, project=request.project, target=attachment)
    messages.success(request, f"{scorer.name} now judges {agent.name}.")
    return after(request, slug)


@project_page
@require_POST
def detach(request: Request, slug: str, pk: int) -> HttpResponse:
    """Judge an agent by this scorer no longer."""
    scorer = scorer_or_404(request, slug)
    attachment = get_object_or_404(scorer.attachments.select_related("agent"), pk=pk)
    audit.record("detach scorer", actor=request.user, project=request.project, target=attachment)
    try:
        detach_scorer(attachment)
    except AttachmentRefused as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"{scorer.name} no longer judges {attachment.agent.name}.")
    return after(request, slug)


def after(request: Request, slug: str) -> HttpResponse:
    """Back to the page of ours where the form stood, or to the scorer."""
    place = request.POST.get("next", "")
    if url_has_allowed_host_and_scheme(place, allowed_hosts=None):
        return redirect(place)
    return redirect("scorers:detail", request.project.slug, slug)
