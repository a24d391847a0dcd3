"""Pages of experiments: the list, the launch, one experiment while it runs and after."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from studio.experiments.cancel import cancel_experiment
from studio.experiments.forms import LaunchForm, outlook
from studio.experiments.launch import NothingToRun, launch_experiment
from studio.experiments.models import Experiment
from studio.experiments.place_queries import OUTCOMES, Filters
from studio.experiments.queries import FILTERS, listed, means_of, progress_of, rows_for
from studio.experiments.trial_queries import trial_page
from studio.web.access import may, project_page
from studio.web.http import Request, render_page
from studio.web.paging import number, page_of


@project_page
@require_safe
def experiment_list(request: Request) -> HttpResponse:
    """All experiments, the latest first; htmx gets the table only."""
    page = page_of(request.GET, listed(request.project, request.GET))
    context = {
        "nav": "experiments",
        "page": page,
        "rows": rows_for(page.rows),
        "filters": {key: request.GET.get(key, "") for key in ("q", *FILTERS)},
        "active": any(request.GET.get(key) for key in ("q", *FILTERS)),
        "states": Experiment.State.choices,
        "verdicts": ["passed", "scored", "failed"],
        "agents": request.project.agents.order_by("name").values_list("slug", "name")[:200],
        "datasets": request.project.datasets.order_by("name").values_list("slug", "name")[:200],
        "may_write": may(request.member, "editor"),
    }
    return render_page(
        request, "experiments/list.html", part="experiments/_list.html", context=context
    )


@project_page(read="editor")
@require_http_methods(["GET", "HEAD", "POST"])
def experiment_create(request: Request) -> HttpResponse:
    """The launch form, prefilled from the link; a repeated post launches once."""
    if request.method != "POST":
        form = LaunchForm(request.project, chosen=request.GET.dict())
        return launch_page(request, form, 200)
    form = LaunchForm(request.project, request.POST)
    if not form.is_valid():
        return launch_page(request, form, 422)
    try:
        experiment = launch_experiment(form.plan(request.user))
    except NothingToRun as error:
        form.add_error(None, str(error))
        return launch_page(request, form, 422)
    return redirect("experiments:detail", request.project.slug, experiment.pk)


def launch_page(request: Request, form: LaunchForm, status: int) -> HttpResponse:
    """The page around a launch form."""
    context = {"nav": "experiments", "form": form, "outlook": outlook(form)}
    part = "experiments/_launch.html"
    return render_page(
        request, "experiments/create.html", part=part, context=context, status=status
    )


@project_page(read="editor")
@require_safe
def experiment_plan(request: Request) -> HttpResponse:
    """What the form's present values would run: versions to choose from, and the footer."""
    form = LaunchForm(request.project, request.GET)
    context = {"form": form, "outlook": outlook(form), "swapped": True}
    template = "experiments/_plan.html"
    return render_page(request, template, part=template, context=context)


def found(request: Request, pk: int) -> Experiment:
    """One experiment of the project, or 404."""
    rows = Experiment.objects.select_related(
        "agent_version__agent", "dataset_version__dataset", "author"
    ).defer("agent_version__spec")
    return get_object_or_404(rows, project=request.project, pk=pk)


def live_context(request: Request, experiment: Experiment) -> dict[str, Any]:
    """What the live part shows, and a mark that says whether it changed."""
    progress = progress_of(experiment)
    shown = number(request.GET.get("shown"), progress.finished, 2**31)
    mark = f"{experiment.state}-{experiment.done}-{experiment.failed}-{experiment.cancelled}"
    cancelling = experiment.cancel_requested_at is not None
    return {
        "experiment": experiment,
        "progress": progress,
        "means": means_of(experiment),
        "gates": experiment.verdict_detail.get("gates", []),
        "thresholds": experiment.verdict_detail.get("thresholds", []),
        "fresh": max(progress.finished - shown, 0),
        "shown": shown,
        "mark": f"{mark}-{shown}-{progress.waits:d}-{cancelling:d}",
        "cancelling": cancelling and experiment.is_open,
        "may_write": may(request.member, "editor"),
    }


@project_page
@require_safe
def experiment_detail(request: Request, pk: int) -> HttpResponse:
    """One experiment: how far it is, what it found, its trials; htmx gets the trials only."""
    experiment = found(request, pk)
    context = live_context(request, experiment)
    context |= trials_context(request, experiment, context["means"])
    return render_page(
        request,
        "experiments/detail.html",
        part="experiments/_trials.html",
        context=context,
    )


def trials_context(request: Request, experiment: Experiment, means: list[Any]) -> dict[str, Any]:
    """What the table of trials shows."""
    filters = Filters.read(request.GET)
    kept = {"outcome": filters.outcome, "scorer": filters.scorer, "q": filters.text}
    query = urlencode({key: value for key, value in kept.items() if value})
    address = reverse("experiments:detail", args=[request.project.slug, experiment.pk])
    return {
        "nav": "experiments",
        "trials": trial_page(experiment, means, request.GET),
        "filters": filters,
        "outcomes": OUTCOMES,
        "address": address,
        "kept": f"?{query}" if query else "",
        "shown": progress_of(experiment).finished,
        "swapped": bool(request.htmx),
        "crumbs": [
            {
                "title": "Experiments",
                "url": reverse("experiments:list", args=[request.project.slug]),
            },
            {"title": experiment.name, "url": None},
        ],
    }


@project_page
@require_safe
def experiment_progress(request: Request, pk: int) -> HttpResponse:
    """The live part; 204 while nothing has changed since the mark that the page holds."""
    context = live_context(request, found(request, pk))
    if request.GET.get("seen") == context["mark"]:
        return HttpResponse(status=204)
    part = "experiments/_progress.html"
    return render_page(request, part, part=part, context=context | {"swapped": True})


@project_page
@require_POST
def experiment_cancel(request: Request, pk: int) -> HttpResponse:
    """Stop an experiment; what has been scored stays."""
    experiment = get_object_or_404(Experiment, project=request.project, pk=pk)
    if cancel_experiment(experiment, request.user):
        messages.success(request, "Cancelled: what has been scored stays.")
    else:
        messages.info(request, "It had ended already.")
    return redirect("experiments:detail", request.project.slug, pk)
