"""What the scorer pages read: filtered scores with their distribution, and figures by scorer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

from django.db import connection
from django.db.models import Avg, Count, Max, OuterRef, Q, QuerySet, Subquery

from studio.scorers.models import Score, ScoreQuerySet, Scorer

if TYPE_CHECKING:
    from studio.accounts.models import Project

BINS = 20
COUNTED = 10_000  # the newest scores that a distribution looks at, whatever the filter
LATEST = 1_000  # the newest scores of each scorer that the list's figures look at


@dataclass(frozen=True, slots=True)
class ScoreFilter:
    """Which scores are wanted; an empty one wants all."""

    outcome: str = ""
    low: float | None = None
    high: float | None = None
    below: float | None = None  # like `high`, but without the border: the bins are half open
    agent: int | None = None
    version: int | None = None
    source: str = ""
    since: datetime | None = None
    until: datetime | None = None
    experiment: int | None = None

    def without_range(self) -> ScoreFilter:
        """The same filter for every value."""
        return replace(self, low=None, high=None, below=None)

    @property
    def range(self) -> Q:
        """The condition on the value alone."""
        found = Q()
        for lookup, bound in (("gte", self.low), ("lte", self.high), ("lt", self.below)):
            if bound is not None:
                found &= Q(**{f"value__{lookup}": bound})
        return found

    def of(self, scores: ScoreQuerySet) -> ScoreQuerySet:
        """Those of `scores` that are wanted."""
        lookups: dict[str, Any] = {
            "outcome": self.outcome,
            "agent_id": self.agent,
            "scorer_version__number": self.version,
            "source": self.source,
            "created_at__gte": self.since,
            "created_at__lt": self.until,
            "experiment_id": self.experiment,
        }
        wanted = {name: value for name, value in lookups.items() if value not in (None, "")}
        return scores.filter(self.range, **wanted)


@dataclass(frozen=True, slots=True)
class Bin:
    """One bar of a histogram: values from `low` up to, not including, `high`."""

    low: float
    high: float
    count: int
    is_first: bool = False
    is_last: bool = False


@dataclass(frozen=True, slots=True)
class Distribution:
    """How the filtered scores are spread, and what the filtered mean stands on."""

    bins: Sequence[Bin] = ()
    outcomes: dict[str, int] = field(default_factory=dict)
    mean: float | None = None  # None as well when several versions would be mixed
    versions: int = 0
    is_more: bool = False  # there are more scores than the newest that were looked at

    @property
    def total(self) -> int:
        """All scores looked at, of any outcome."""
        return sum(self.outcomes.values())

    @property
    def scored(self) -> int:
        """Those with a value."""
        return self.outcomes.get("scored", 0)


def distribution(scorer: Scorer, wanted: ScoreFilter) -> Distribution:
    """Bins over the scale for every value, counts and mean for the range asked for."""
    edges = edges_of(scorer)
    scores = wanted.without_range().of(Score.objects.filter(scorer=scorer).standing())
    columns = scores.order_by("-pk").values_list("scorer_version_id", "outcome", "value")
    newest, params = columns[: COUNTED + 1].query.sql_with_params()
    place, inside = place_sql(), inside_sql(wanted)
    # The ORM cannot group a slice, so its bounded selection is grouped around here. No text of
    # the request is in the SQL: columns, signs and numbers of the filter are written by us.
    sql = (
        f"SELECT version, outcome, place, inside, COUNT(*), SUM(value) FROM ("  # noqa: S608
        f"SELECT version, outcome, value, {place} AS place, {inside[0]} AS inside "
        f"FROM (SELECT scorer_version_id AS version, outcome, value FROM ({newest}) AS newest) "
        "AS named) AS placed GROUP BY version, outcome, place, inside"
    )
    with connection.cursor() as cursor:
        cursor.execute(sql, [*edges[1:-1], *inside[1], *params])
        return gathered(edges, cursor.fetchall())


def place_sql() -> str:
    """The bin of a value; what lies outside the scale is in an end bin."""
    steps = " ".join(f"WHEN value < %s THEN {n}" for n in range(BINS - 1))
    return f"CASE WHEN value IS NULL THEN NULL {steps} ELSE {BINS - 1} END"


def inside_sql(wanted: ScoreFilter) -> tuple[str, list[float]]:
    """1 for a score in the value range asked for, else 0."""
    bounds = ((">=", wanted.low), ("<=", wanted.high), ("<", wanted.below))
    used = [(sign, bound) for sign, bound in bounds if bound is not None]
    if not used:
        return "1", []
    condition = " AND ".join(f"value {sign} %s" for sign, _ in used)
    return f"CASE WHEN {condition} THEN 1 ELSE 0 END", [bound for _, bound in used]


def gathered(edges: Sequence[float], groups: Iterable[tuple[Any, ...]]) -> Distribution:
    """The distribution from its groups (version, outcome, place, inside, count, sum)."""
    counts, versions = [0] * BINS, set()
    outcomes: dict[str, int] = defaultdict(int)
    seen, total = 0, 0.0
    for version, outcome, place, inside, count, value in groups:
        seen += count
        if place is not None:
            counts[place] += count
        if inside:
            outcomes[outcome] += count
        if inside and value is not None:
            versions.add(version)
            total += value
    bins = [
        Bin(edges[n], edges[n + 1], counts[n], is_first=n == 0, is_last=n == BINS - 1)
        for n in range(BINS)
    ]
    mean = total / outcomes[Score.Outcome.SCORED] if len(versions) == 1 else None
    return Distribution(bins, dict(outcomes), mean, len(versions), is_more=seen > COUNTED)


def edges_of(scorer: Scorer) -> list[float]:
    """The borders of the bins over the current version's scale."""
    version = scorer.version
    low, high = (version.scale_min, version.scale_max) if version else (0.0, 1.0)
    if not high > low:
        high = low + 1
    return [round(low + (high - low) * n / BINS, 9) for n in range(BINS + 1)]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The scores beside one in the filtered list."""

    newer: int | None
    older: int | None


def neighbours(scorer: Scorer, wanted: ScoreFilter, pk: int) -> Neighbours:
    """The ids above and below a score in the filtered list, newest first."""
    rows = wanted.of(Score.objects.filter(scorer=scorer).standing())
    ids = rows.values_list("pk", flat=True)
    newer = ids.filter(pk__gt=pk).order_by("pk").first()
    return Neighbours(newer, ids.filter(pk__lt=pk).order_by("-pk").first())


@dataclass(frozen=True, slots=True)
class Figures:
    """What the newest scores of a scorer's current version say."""

    mean: float | None = None
    scored: int = 0
    of: int = 0
    errors: int = 0
    last_at: datetime | None = None


def with_floor(scorers: QuerySet[Scorer]) -> QuerySet[Scorer]:
    """Each scorer with the id of its thousandth newest score, where the figures end."""
    ids = Score.objects.filter(scorer=OuterRef("pk")).order_by("-pk").values("pk")
    return scorers.annotate(floor=Subquery(ids[LATEST - 1 : LATEST]))


def latest_figures(scorers: Sequence[Scorer]) -> dict[int, Figures]:
    """Figures by scorer id, all in one query, over at most the newest thousand of each."""
    wanted = [
        Q(scorer=each.pk, scorer_version=each.version_id, pk__gte=getattr(each, "floor", None) or 0)
        for each in scorers
        if each.version_id
    ]
    if not wanted:
        return {}
    groups = (
        Score.objects.standing()
        .filter(reduce(or_, wanted))
        .order_by()
        .values("scorer_id", "outcome")
        .annotate(n=Count("pk"), mean=Avg("value"), last=Max("created_at"))
    )
    found: dict[int, Figures] = {}
    for each in groups:
        known = found.get(each["scorer_id"], Figures())
        last = max(filter(None, (known.last_at, each["last"])), default=None)
        known = replace(known, of=known.of + each["n"], last_at=last)
        if each["outcome"] == Score.Outcome.SCORED:
            known = replace(known, mean=each["mean"], scored=each["n"])
        elif each["outcome"] == Score.Outcome.ERROR:
            known = replace(known, errors=each["n"])
        found[each["scorer_id"]] = known
    return found


def scorers_of(
    project: Project, *, q: str = "", kind: str = "", source: str = ""
) -> QuerySet[Scorer]:
    """The project's scorers with the number of agents they judge."""
    wanted = {name: value for name, value in (("kind", kind), ("source", source)) if value}
    rows = Scorer.objects.filter(project=project, archived_at=None, **wanted)
    if q:
        rows = rows.filter(Q(name__icontains=q) | Q(description__icontains=q))
    counted = rows.select_related("version").annotate(agents=Count("attachments"))
    return with_floor(counted)


def scores_of_trace(trace_pk: int) -> list[Score]:
    """Every standing score on one trace, by scorer."""
    rows = Score.objects.standing().for_list().filter(trace_id=trace_pk)
    return list(rows.order_by("scorer__name", "-pk")[:200])
