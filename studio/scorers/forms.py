"""What people may ask of scorers: filters, checks with their arguments, attachments."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime

from studio.agents.models import Agent
from studio.scorers.models import Score, Scorer
from studio.scorers.queries import ScoreFilter
from studio.traces.models import Source


class MomentField(forms.CharField):
    """A day or an exact moment, from a form or from a script."""

    widget = forms.DateInput(attrs={"type": "date"})

    def __init__(self, *, is_end: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.is_end = is_end

    def clean(self, value: Any) -> datetime | None:
        """The aware moment; a day as an end lasts until its midnight."""
        text = super().clean(value)
        if not text:
            return None
        try:
            day = parse_date(text)
            moment = parse_datetime(text) if day is None else None
        except ValueError:
            day = moment = None
        if day is not None:
            start = timezone.make_aware(datetime(day.year, day.month, day.day))  # noqa: DTZ001 - made aware here
            return start + timedelta(days=1) if self.is_end else start
        if moment is None:
            raise forms.ValidationError("Write a day as YYYY-MM-DD, or an ISO 8601 moment.")
        return moment if timezone.is_aware(moment) else timezone.make_aware(moment)


class ScoreFilterForm(forms.Form):
    """The filters of a score list, as they stand in its URL."""

    outcome = forms.ChoiceField(choices=[("", "any"), *Score.Outcome.choices], required=False)
    min = forms.FloatField(required=False, label="From")
    max = forms.FloatField(required=False, label="To")
    below = forms.FloatField(required=False, label="Below")
    agent = forms.ModelChoiceField(
        Agent.objects.none(), required=False, to_field_name="slug", empty_label="any"
    )
    source = forms.ChoiceField(choices=[("", "any"), *Source.choices], required=False)
    version = forms.IntegerField(required=False, min_value=1, max_value=2**31 - 1)
    since = MomentField(required=False, label="Since")
    until = MomentField(required=False, label="Until", is_end=True)
    experiment = forms.IntegerField(required=False, min_value=1, max_value=2**63 - 1)

    def __init__(self, data: Mapping[str, Any], *, project: Any) -> None:
        super().__init__(data)
        self.fields["agent"].queryset = project.agents.by_name()  # type: ignore[attr-defined]
        for name in ("min", "max", "below"):
            self.fields[name].widget.attrs["step"] = "any"

    def wanted(self) -> ScoreFilter:
        """The filter; fields that could not be read do not filter."""
        self.is_valid()
        found = self.cleaned_data
        agent = found.get("agent")
        return ScoreFilter(
            outcome=found.get("outcome") or "",
            low=found.get("min"),
            high=found.get("max"),
            below=found.get("below"),
            agent=agent.pk if agent else None,
            version=found.get("version"),
            source=found.get("source") or "",
            since=found.get("since"),
            until=found.get("until"),
            experiment=found.get("experiment"),
        )


class ScorerFilterForm(forms.Form):
    """The filters of the scorer list."""

    q = forms.CharField(required=False, max_length=200, empty_value="")
    kind = forms.ChoiceField(choices=[("", "any"), *Scorer.Kind.choices], required=False)
    source = forms.ChoiceField(choices=[("", "any"), *Scorer.Origin.choices], required=False)
