"""The pages that show scorers and their scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_safe

from studio.datasets.models import DatasetItem
from studio.scorers.check_form import AttachmentForm
from studio.scorers.findings import finding_of
from studio.scorers.forms import ScoreFilterForm, ScorerFilterForm
from studio.scorers.models import Score, Scorer
from studio.scorers.queries import (
    COUNTED,
    LATEST,
    Bin,
    Distribution,
    ScoreFilter,
    distribution,
    latest_figures,
    neighbours,
    scorers_of,
    scores_of_trace,
)
from studio.traces.conversation import conversation
from studio.web.access import project_page
from studio.web.http import Request, render_page
from studio.web.paging import Page, page_of

RANGE = ("min", "max", "below")
PLACE = ("before", "after", "limit")


@project_page
@require_safe
def scorer_list(request: Request) -> HttpResponse:
    """Every scorer of the project with its latest figures."""
    form = ScorerFilterForm(request.GET)
    form.is_valid()
    wanted = {name: form.cleaned_data.get(name, "") for name in form.fields}
    page = page_of(request.GET, scorers_of(request.project, **wanted), newest=False)
    figures = latest_figures(page.rows)
    context = {
        "nav": "scorers",
        "rows": [(scorer, figures.get(scorer.pk)) for scorer in page.rows],
        "page": page,
        "form": form,
        "q": wanted["q"],
        "has_filters": any(wanted.values()),
        "latest": LATEST,
    }
    return render_page(request, "scorers/list.html", part="scorers/_rows.html", context=context)


@project_page
@require_safe
def scorer_detail(request: Request, slug: str) -> HttpResponse:
    """A scorer with its scores, filtered as the URL says."""
    scorer = scorer_or_404(request, slug)
    context = {"nav": "scorers", "scorer": scorer} | scores_context(request, scorer)
    if not request.htmx or request.htmx.history_restore_request:
        context["attachments"] = scorer.attachments.select_related("agent").order_by("agent__name")
        context["attach_form"] = AttachmentForm(project=request.project)
        context["versions"] = scorer.versions.order_by("-number")[:20]
    return render_page(request, "scorers/detail.html", part="scorers/_scores.html", context=context)


def scores_context(request: Request, scorer: Scorer) -> dict[str, Any]:
    """One page of the filtered scores, their distribution, and the links that keep the filter."""
    form = ScoreFilterForm(request.GET, project=request.project)
    wanted = form.wanted()
    url = reverse("scorers:detail", args=[request.project.slug, scorer.slug])
    scores = wanted.of(Score.objects.filter(scorer=scorer).standing().for_list())
    page, spread = page_of(request.GET, scores), distribution(scorer, wanted)
    return {
        "form": form,
        "page": page,
        "newer": page.newer and url + page.newer,
        "older": page.older and url + page.older,
        "query": kept(request.GET),
        "counted": COUNTED,
        "list_url": url,
        "has_filters": wanted != ScoreFilter(),
        "spread": spread,
        "bins": linked_bins(spread, request.GET, wanted, url),
        "words": page_words(page, spread),
        "errors_url": url + kept(request.GET, PLACE, outcome=Score.Outcome.ERROR),
        "missing_url": url + kept(request.GET, PLACE, outcome=Score.Outcome.NOT_SCORABLE),
    }


@project_page
@require_safe
def scorer_score(request: Request, slug: str, pk: int) -> HttpResponse:
    """One score and everything behind it, beside the list or as a page."""
    scorer = scorer_or_404(request, slug)
    rows = Score.objects.select_related("scorer_version", "trace__agent_version", "agent", "author")
    score = get_object_or_404(rows, scorer=scorer, pk=pk)
    beside = neighbours(scorer, ScoreFilterForm(request.GET, project=request.project).wanted(), pk)
    query = kept(request.GET)
    attachment = scorer.attachments.filter(agent=score.agent_id).first()
    context = {
        "nav": "scorers",
        "scorer": scorer,
        "score": score,
        "attachment": attachment,
        "passed": attachment and attachment.passes(score.value),
        "finding": finding_of(score),
        "turns": conversation(score.trace.input, score.trace.output),
        "item": item_of(score),
        "prev": beside.newer and score_url(request, slug, beside.newer) + query,
        "next": beside.older and score_url(request, slug, beside.older) + query,
        "close": reverse("scorers:detail", args=[request.project.slug, slug]) + query,
    }
    return render_page(request, "scorers/score.html", part="scorers/_score.html", context=context)


@project_page
@require_safe
def trace_scores(request: Request, trace_id: str) -> HttpResponse:
    """Every score on one trace, as a part of its page."""
    trace = get_object_or_404(request.project.traces.only("pk", "trace_id"), trace_id=trace_id)
    context = {"nav": "traces", "trace": trace, "scores": scores_of_trace(trace.pk)}
    return render_page(
        request, "scorers/trace_scores.html", part="scorers/_trace_scores.html", context=context
    )


def scorer_or_404(request: Request, slug: str) -> Scorer:
    """The project's scorer of this slug."""
    rows = Scorer.objects.select_related("version")
    return get_object_or_404(rows, project=request.project, slug=slug)


def score_url(request: Request, slug: str, pk: int) -> str:
    """Where one score is shown."""
    return reverse("scorers:score", args=[request.project.slug, slug, pk])


def item_of(score: Score) -> DatasetItem | None:
    """The dataset item that the scored trial answered, if it is still there."""
    if score.trial_id is None:
        return None
    rows = DatasetItem.objects.filter(trials=score.trial_id, dataset__project=score.project_id)
    return rows.select_related("dataset").only("item_id", "dataset__slug", "dataset__name").first()


def kept(params: QueryDict, drop: Sequence[str] = (), **changes: object) -> str:
    """The query string of `params` without empty values and those in `drop`, with changes."""
    query = QueryDict(mutable=True)
    for name, values in params.lists():
        if name not in drop:
            query.setlist(name, [value for value in values if value])
    for name, value in changes.items():
        query[name] = str(value)
    text = query.urlencode()
    return f"?{text}" if text else ""


def linked_bins(
    spread: Distribution, params: QueryDict, wanted: ScoreFilter, url: str
) -> list[dict[str, Any]]:
    """The bins with the page that shows only theirs; the active one leads back to all."""
    bins = []
    for each in spread.bins:
        bounds = bounds_of(each)
        range_ = {"min": wanted.low, "max": wanted.high, "below": wanted.below}
        active = bounds == {name: value for name, value in range_.items() if value is not None}
        href = url + kept(params, (*RANGE, *PLACE), **({} if active else bounds))
        bins.append(
            {"low": each.low, "high": each.high, "count": each.count, "href": href,
             "active": active}
        )  # fmt: skip
    return bins


def bounds_of(each: Bin) -> dict[str, float]:
    """The value range of a bin; the end bins hold what lies outside the scale as well."""
    low = {} if each.is_first else {"min": each.low}
    return low if each.is_last else low | {"below": each.high}


def page_words(page: Page[Score], spread: Distribution) -> str:
    """How many are shown, and of how many; beyond the counted, only that there are more."""
    shown = f"{len(page)} shown"
    if spread.is_more:
        return f"{shown} of more than {COUNTED:,}".replace(",", "\u2009")
    return f"{shown} of {spread.total:,}".replace(",", "\u2009")
