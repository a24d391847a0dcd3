"""One trial: what was asked and answered, what each scorer said, and saving it as an item."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from studio.accounts import audit
from studio.datasets.batch import DatasetRefused
from studio.datasets.draft import ItemDraft
from studio.datasets.forms import SaveItemForm
from studio.datasets.saving import save_as_item
from studio.experiments.models import Trial
from studio.experiments.place_queries import Filters, neighbours
from studio.experiments.queries import means_of
from studio.experiments.trial_queries import scores_with_reasons
from studio.scorers.proposal import proposal_from
from studio.traces.conversation import conversation
from studio.web.access import may, project_page
from studio.web.http import Request, render_page


def found(request: Request, pk: int, trial_pk: int) -> Trial:
    """One trial of the project's experiment with its item and trace, or 404."""
    rows = Trial.objects.select_related("experiment", "item__dataset", "trace")
    wanted = {
        "experiment__project": request.project,
        "experiment_id": pk,
        "pk": trial_pk,
    }
    return get_object_or_404(rows, **wanted)


@project_page
@require_safe
def trial_detail(request: Request, pk: int, trial_pk: int) -> HttpResponse:
    """The panel of a trial; opened directly it is a page."""
    trial = found(request, pk, trial_pk)
    means = means_of(trial.experiment)
    before, after = neighbours(trial.experiment, means, request.GET, trial.pk)
    kept = kept_filters(request)
    context = said_in(trial) | {
        "nav": "experiments",
        "experiment": trial.experiment,
        "trial": trial,
        "scores": scores_with_reasons(trial, means),
        "previous": trial_url(request, pk, before, kept),
        "following": trial_url(request, pk, after, kept),
        "close": reverse("experiments:detail", args=[request.project.slug, pk]) + kept,
        "kept": kept,
        "may_write": may(request.member, "editor"),
    }
    part = "experiments/_trial.html"
    return render_page(request, "experiments/trial.html", part=part, context=context)


def said_in(trial: Trial) -> dict[str, Any]:
    """What was asked and answered; only what was to be asked while there is no trace."""
    trace, item = trial.trace, trial.item
    turns = conversation(trace.input if trace else item.input, trace.output if trace else None)
    return {
        "trace": trace,
        "item": item,
        "turns": turns,
        "answer": turns[-1].text if trace and turns and turns[-1].role == "assistant" else "",
        "raw": {"input": trace.input, "output": trace.output} if trace else item.input,
    }


def kept_filters(request: Request) -> str:
    """The filters of the table that this trial was opened from, as a query string."""
    filters = Filters.read(request.GET)
    values = {"outcome": filters.outcome, "scorer": filters.scorer, "q": filters.text}
    query = urlencode({key: value for key, value in values.items() if value})
    return f"?{query}" if query else ""


def trial_url(request: Request, pk: int, trial_pk: int | None, kept: str) -> str | None:
    """The address of a neighbour."""
    if trial_pk is None:
        return None
    return reverse("experiments:trial", args=[request.project.slug, pk, trial_pk]) + kept


def proposal(trial: Trial) -> ItemDraft:
    """The item that a trial suggests: what was asked, and what came of it."""
    trace, item = trial.trace, trial.item
    if trace is None:  # it never ran
        raise Http404
    source = {"type": "trial", "reference": str(trial.pk), "experiment": str(trial.experiment_id)}
    return replace(
        proposal_from(trace, source=source, source_key=f"trial:{trial.pk}"),
        input=item.input,
        request_context=item.request_context,
        metadata=item.metadata,
        tags=item.tags,
    )


@project_page(read="editor")
@require_http_methods(["GET", "HEAD", "POST"])
def trial_save_item(request: Request, pk: int, trial_pk: int) -> HttpResponse:
    """Save a trial as a dataset item, after a look at what would be saved."""
    trial = found(request, pk, trial_pk)
    data = request.POST if request.method == "POST" else None
    form = SaveItemForm(request.project, proposal(trial), data)
    if form.is_bound and form.is_valid():
        try:
            return saved(request, form)
        except DatasetRefused as error:
            form.add_error(None, str(error))
    context = {
        "nav": "experiments",
        "experiment": trial.experiment,
        "trial": trial,
        "form": form,
        "action": request.path,
        "back": trial_url(request, pk, trial_pk, ""),
    }
    page, part = "experiments/save_item.html", "experiments/_save_item.html"
    status = 422 if form.is_bound else 200
    return render_page(request, page, part=part, context=context, status=status)


def saved(request: Request, form: SaveItemForm) -> HttpResponse:
    """Save the item of a valid form and show it."""
    said = form.cleaned_data
    item = save_as_item(
        request.project,
        form.draft(),
        request.user,
        dataset=said["dataset"],
        new_dataset=said["new_dataset"],
    )
    audit.record("save item", actor=request.user, project=request.project, target=item)
    messages.success(request, f"Saved to {item.dataset.name}.")
    return redirect("datasets:item", request.project.slug, item.dataset.slug, item.item_id)
