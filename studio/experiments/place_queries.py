"""The order of an experiment's trials, failures first, and what filters leave of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Case, Exists, F, FloatField, Min, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Coalesce, Greatest, Least, NullIf
from django.db.models.query import QuerySet

from studio.experiments.models import Experiment, Trial
from studio.experiments.queries import NEARLY_ONE, Mean
from studio.scorers.models import Score
from studio.web.claims import WorkState

OUTCOMES = {
    "failed": "All failures",
    "error": "Agent failed",
    "score_error": "Scorer failed",
    "gate": "Gate failed",
    "threshold": "Outside a threshold",
    "not_scorable": "Not scorable",
    "good": "No failure",
    "open": "Not finished",
}
OPEN = Q(state__in=[WorkState.PENDING, WorkState.RUNNING])


@dataclass(frozen=True, slots=True)
class Filters:
    """What a reader wants to see of the trials."""

    outcome: str = ""
    scorer: str = ""
    text: str = ""

    @classmethod
    def read(cls, params: Mapping[str, Any]) -> Filters:
        """The filters of a query string; unknown outcomes are none."""
        outcome = str(params.get("outcome") or "")
        return cls(
            outcome=outcome if outcome in OUTCOMES else "",
            scorer=str(params.get("scorer") or ""),
            text=str(params.get("q") or "").strip().replace("\x00", ""),
        )

    @property
    def active(self) -> bool:
        """Some trials may be hidden."""
        return bool(self.outcome or self.scorer or self.text)


def scores_of_trial(asked: Sequence[Mean], slug: str) -> QuerySet[Any]:
    """The standing scores of the outer trial, of one scorer if it was asked for."""
    scores: QuerySet[Any] = Score.objects.standing().filter(trial_id=OuterRef("pk"))
    # As a sum it has no index: without statistics SQLite would prefer that one to the trial's.
    scores = scores.alias(version=F("scorer_version_id") + 0)
    chosen = [each.scorer_version for each in asked if each.slug == slug]
    return scores.filter(version__in=chosen) if chosen else scores


def gate_missed(asked: Sequence[Mean]) -> Q:
    """Scores below 1 of a scorer that is a gate."""
    gates = [each.scorer_version for each in asked if each.is_gate]
    return Q(version__in=gates, value__lt=NEARLY_ONE)


def threshold_missed(asked: Sequence[Mean]) -> Q:
    """Scores outside the range that is wanted of their scorer's mean."""
    missed = Q(pk__in=[])
    for each in asked:
        if each.minimum is not None:
            missed |= Q(version=each.scorer_version, value__lt=each.minimum)
        if each.maximum is not None:
            missed |= Q(version=each.scorer_version, value__gt=each.maximum)
    return missed


def narrowed(trials: QuerySet[Any], asked: Sequence[Mean], filters: Filters) -> QuerySet[Any]:
    """`trials` without those that the filters hide."""
    scores = scores_of_trial(asked, filters.scorer)
    broken = Exists(scores.filter(outcome=Score.Outcome.ERROR))
    gate = Exists(scores.filter(gate_missed(asked)))
    outside = Exists(scores.filter(threshold_missed(asked)))
    bad = Q(state=WorkState.ERROR) | Q(broken) | Q(gate) | Q(outside)
    by_outcome = {
        "failed": bad,
        "error": Q(state=WorkState.ERROR),
        "score_error": Q(broken),
        "gate": Q(gate),
        "threshold": Q(outside),
        "not_scorable": Q(Exists(scores.filter(outcome=Score.Outcome.NOT_SCORABLE))),
        "good": Q(state=WorkState.DONE) & ~bad,
        "open": OPEN,
    }
    if filters.outcome:
        trials = trials.filter(by_outcome[filters.outcome])
    if text := filters.text:
        trials = trials.filter(
            Q(item__input_preview__icontains=text) | Q(output_preview__icontains=text)
            | Q(error__icontains=text) | Q(item__item_id=text) | Q(item__external_id=text)
        )  # fmt: skip
    return trials


def placed(trials: QuerySet[Any], asked: Sequence[Mean], slug: str = "") -> QuerySet[Any]:
    """`trials` with their `place`: errors, failed gates, then from the lowest score to the best.

    Each rank is ten apart and the worst score, brought to 0..1, lies between two ranks; the place
    with the row's id is the key by which pages continue.
    """
    scores = scores_of_trial(asked, slug)
    width = NullIf(F("scorer_version__scale_max") - F("scorer_version__scale_min"), Value(0.0))
    good = Case(
        When(
            scorer_version__direction="lower",
            then=F("scorer_version__scale_max") - F("value"),
        ),
        default=F("value") - F("scorer_version__scale_min"),
    )
    scored = scores.filter(outcome=Score.Outcome.SCORED).order_by().values("trial_id")
    worst = scored.annotate(worst=Min(good / width, output_field=FloatField())).values("worst")
    within = Least(Greatest(Coalesce(Subquery(worst), Value(2.0)), Value(0.0)), Value(2.0))
    rank = Case(
        When(state=WorkState.ERROR, then=Value(0.0)),
        When(Exists(scores.filter(outcome=Score.Outcome.ERROR)), then=Value(10.0)),
        When(Exists(scores.filter(gate_missed(asked))), then=Value(20.0)),
        When(state=WorkState.DONE, then=Value(30.0)),
        When(state=WorkState.RUNNING, then=Value(40.0)),
        When(state=WorkState.PENDING, then=Value(50.0)),
        default=Value(60.0),
        output_field=FloatField(),
    )
    ranked: QuerySet[Any] = trials.annotate(place=rank + within)
    return ranked


def key(row: Any) -> str:
    """Where a placed trial stands, as a query string carries it."""
    return f"{row.place!r}:{row.pk}"


def beyond(rows: QuerySet[Any], mark: str, sign: str) -> QuerySet[Any]:
    """The rows below (`gt`) or above (`lt`) a key; an unreadable key hides nothing."""
    place, _, pk = mark.partition(":")
    try:
        at, number = float(place), int(pk)
    except ValueError:
        return rows
    if not abs(at) < 1e6 or not 0 <= number < 2**63:
        return rows
    return rows.filter(Q(**{f"place__{sign}": at}) | Q(place=at, **{f"pk__{sign}": number}))


def neighbours(
    experiment: Experiment, asked: Sequence[Mean], params: Mapping[str, Any], pk: int
) -> tuple[int | None, int | None]:
    """The trials before and after one in the order of the filtered table."""
    filters = Filters.read(params)
    trials: QuerySet[Any] = Trial.objects.filter(experiment=experiment)
    here = placed(trials.filter(pk=pk), asked, filters.scorer).values_list("place", flat=True)
    mark = f"{here[0]!r}:{pk}"
    rows = placed(narrowed(trials, asked, filters), asked, filters.scorer)
    above = beyond(rows, mark, "lt").order_by("-place", "-pk").values_list("pk", flat=True)
    below = beyond(rows, mark, "gt").order_by("place", "pk").values_list("pk", flat=True)
    return above.first(), below.first()
