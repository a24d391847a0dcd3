"""The launch form: what to run, on what, judged by whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django import forms

from studio.accounts.models import Project
from studio.agents.models import Agent
from studio.datasets.models import Dataset, DatasetVersion
from studio.experiments.launch import Asked, ExperimentPlan
from studio.scorers.models import Scorer, ScorerAttachment

MAX_SCORERS = 200  # as many lines as one form shows
BOX = {"autocomplete": "off"}


class AskForm(forms.Form):
    """One line of the form: a scorer, and what is demanded of its mean."""

    use = forms.BooleanField(required=False)
    gate = forms.BooleanField(required=False)
    minimum = forms.FloatField(required=False, widget=forms.NumberInput(attrs={"step": "any"}))
    maximum = forms.FloatField(required=False, widget=forms.NumberInput(attrs={"step": "any"}))

    def __init__(
        self, scorer: Scorer, data: Any = None, *, attached: bool = False, **kwargs: Any
    ) -> None:
        """The line of `scorer`; its fields are named after it."""
        super().__init__(data, prefix=f"scorer-{scorer.pk}", **kwargs)
        self.scorer = scorer
        self.attached = attached
        words = {
            "use": "Use",
            "gate": "Gate:",
            "minimum": "Minimum of",
            "maximum": "Maximum of",
        }
        for name, word in words.items():
            self.fields[name].widget.attrs["aria-label"] = f"{word} {scorer.name}"

    def clean(self) -> dict[str, Any]:
        """The range is in order."""
        values: dict[str, Any] = super().clean() or {}
        low, high = values.get("minimum"), values.get("maximum")
        if low is not None and high is not None and low > high:
            self.add_error("maximum", "The maximum is below the minimum.")
        return values

    def asked(self) -> Asked:
        """What a valid line asks for."""
        version, values = self.scorer.version, self.cleaned_data
        if version is None:
            raise ValueError("only scorers with a version are offered")
        return Asked(version, values["gate"], values["minimum"], values["maximum"])


class LaunchForm(forms.Form):
    """Everything that a launch needs, with the agent's own scorers already chosen."""

    agent = forms.ModelChoiceField(Agent.objects.none(), to_field_name="slug", empty_label=None)
    dataset = forms.ModelChoiceField(
        Dataset.objects.none(), to_field_name="slug", empty_label="Choose a dataset"
    )
    version = forms.ModelChoiceField(
        DatasetVersion.objects.none(), to_field_name="number", required=False,
        empty_label="Newest", label="Version",
    )  # fmt: skip
    trials = forms.IntegerField(
        min_value=1, max_value=100, initial=1, label="Trials per item",
        help_text="How often each item is answered.",
    )  # fmt: skip
    concurrency = forms.IntegerField(
        min_value=1,
        max_value=1000,
        initial=10,
        help_text="Agent calls at the same time.",
    )
    time_limit = forms.FloatField(
        min_value=0.1,
        max_value=86_400,
        initial=120,
        label="Time limit per item, seconds",
    )
    name = forms.CharField(max_length=160, required=False)
    note = forms.CharField(
        required=False, max_length=10_000, widget=forms.Textarea(attrs={"rows": 2})
    )
    key = forms.CharField(max_length=120, widget=forms.HiddenInput)

    def __init__(
        self, project: Project, data: Mapping[str, Any] | None = None, *,
        chosen: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        """Bound to `data`, or prefilled from what the link `chosen` names."""
        start = {"key": uuid4().hex, **{k: v for k, v in (chosen or {}).items() if v}}
        super().__init__(data, initial=start)
        self.project = project
        source = data if data is not None else start
        agents = Agent.objects.filter(project=project).active().by_name()
        agents = agents.exclude(version=None).select_related("version").defer("version__spec")
        self.fields["agent"].queryset = agents  # type: ignore[attr-defined]
        datasets = project.datasets.order_by("name", "pk")
        self.fields["dataset"].queryset = datasets  # type: ignore[attr-defined]
        self.chosen_agent = agents.filter(slug=str(source.get("agent") or "")).first()
        if self.chosen_agent is None and data is None:
            self.chosen_agent = agents.first()
            self.initial["agent"] = self.chosen_agent.slug if self.chosen_agent else None
        self.chosen_dataset = datasets.filter(slug=str(source.get("dataset") or "")).first()
        self.offer_versions()
        self.propose_name(data is None)
        self.asks = asks_for(project, self.chosen_agent, data, str(source.get("scorer") or ""))

    def offer_versions(self) -> None:
        """The chosen dataset's latest versions with their item counts."""
        field: Any = self.fields["version"]
        if self.chosen_dataset is not None:
            field.queryset = self.chosen_dataset.versions.filter(number__gt=0).order_by("-number")
        field.label_from_instance = lambda row: f"v{row.number}, {row.item_count} items"

    def propose_name(self, fresh: bool) -> None:
        """A name that says what is run on what."""
        words = (
            f"{self.chosen_agent} on {self.chosen_dataset}"
            if self.chosen_agent and self.chosen_dataset
            else ""
        )
        self.fields["name"].widget.attrs["placeholder"] = words
        if fresh and words and not self.initial.get("name"):
            self.initial["name"] = words[:160]

    @property
    def chosen_version(self) -> DatasetVersion | None:
        """The version that would run: the one chosen, else the newest."""
        if self.chosen_dataset is None:
            return None
        wanted = self["version"].value()
        number = int(wanted) if str(wanted or "").isdigit() else self.chosen_dataset.version_number
        versions = self.chosen_dataset.versions.filter(number=min(number, 2**31 - 1))
        return versions.select_related("dataset").first()

    def clean(self) -> dict[str, Any]:
        """Every chosen line holds, and something can be run."""
        values: dict[str, Any] = super().clean() or {}
        for ask in self.asks:
            if ask.is_bound and not ask.is_valid() and ask["use"].value():
                self.add_error(None, f"{ask.scorer.name}: its gate or threshold is not a number"
                               " or is out of order.")  # fmt: skip
        for word in missing(self) if not self.errors else []:
            self.add_error(None, f"{word}.")
        values["chosen"] = self.chosen_version
        return values

    def plan(self, author: Any) -> ExperimentPlan:
        """The plan of a valid form."""
        values = self.cleaned_data
        version = values["chosen"]
        return ExperimentPlan(
            project=self.project,
            agent_version=values["agent"].version,
            dataset_version=version,
            asked=[ask.asked() for ask in chosen_asks(self.asks)],
            trials_per_item=values["trials"],
            concurrency=values["concurrency"],
            item_timeout_s=values["time_limit"],
            name=values["name"],
            note=values["note"],
            author=author,
            idempotency_key=values["key"],
        )


def asks_for(
    project: Project, agent: Agent | None, data: Mapping[str, Any] | None, wanted: str
) -> list[AskForm]:
    """A line for every scorer of the project, those that the agent is judged by first."""
    scorers = Scorer.objects.filter(project=project, archived_at=None).exclude(version=None)
    scorers = scorers.exclude(kind=Scorer.Kind.HUMAN).select_related("version")
    rows = ScorerAttachment.objects.filter(agent=agent) if agent else ()
    attached = {row.scorer_id: row for row in rows}
    lines = [
        AskForm(
            scorer, data, attached=scorer.pk in attached,
            initial=first_values(attached.get(scorer.pk), wanted == scorer.slug),
        )
        for scorer in scorers.order_by("name", "pk")[:MAX_SCORERS]
    ]  # fmt: skip
    return sorted(lines, key=lambda line: not line.attached)


def first_values(attachment: ScorerAttachment | None, wanted: bool) -> dict[str, Any]:
    """What a line shows at first: the attachment's demands."""
    if attachment is None:
        return {"use": wanted}
    return {
        "use": True,
        "gate": attachment.is_gate,
        "minimum": attachment.threshold_min,
        "maximum": attachment.threshold_max,
    }


def chosen_asks(asks: list[AskForm]) -> list[AskForm]:
    """The lines whose scorer is to be used."""
    return [ask for ask in asks if ask["use"].value()]


@dataclass(frozen=True, slots=True)
class Outlook:
    """What the form's footer says: what is missing, and how much would be asked."""

    missing: list[str]
    items: int
    trials: int
    calls: int
    scores: int
    judges: int


def missing(form: LaunchForm) -> list[str]:
    """What has to be chosen before a launch, in words."""
    version = form.chosen_version
    words = [] if form.chosen_agent else ["Choose an agent"]
    if form.chosen_dataset is None:
        words.append("Choose a dataset")
    elif version is None or not version.item_count:
        words.append("Choose a dataset version with items")
    return words if chosen_asks(form.asks) else [*words, "Choose at least one scorer"]


def outlook(form: LaunchForm) -> Outlook:
    """What a launch with the form's present values would mean."""
    version = form.chosen_version
    items = version.item_count if version else 0
    wanted = str(form["trials"].value() or "")
    trials = min(int(wanted), 100) if wanted.isdigit() and len(wanted) < 5 else 1
    used = chosen_asks(form.asks)
    judges = sum(ask.scorer.kind == Scorer.Kind.JUDGE for ask in used)
    calls = items * trials
    return Outlook(missing(form), items, trials, calls, calls * len(used), calls * judges)
