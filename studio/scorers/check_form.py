"""The form of a check, made from its entry in the engine's catalogue."""

from __future__ import annotations

from typing import Any

import orjson
from django import forms

from evals_core import checks
from evals_core.checks import Argument, ArgumentType, CheckArgumentError, CheckKind
from studio.scorers.models import Scorer, ScorerAttachment

ARGUMENT = "argument_"
TRUTH = "ground_truth_"


class ListField(forms.CharField):
    """Names, one a line."""

    def prepare_value(self, value: Any) -> Any:
        """A list as lines."""
        return "\n".join(map(str, value)) if isinstance(value, list) else value

    def clean(self, value: Any) -> list[str]:
        """The lines that are not empty."""
        text = super().clean(value)
        return [line.strip() for line in text.splitlines() if line.strip()]


class JSONOrTextField(forms.CharField):
    """A JSON value, or any text that does not read as one."""

    def prepare_value(self, value: Any) -> Any:
        """The value as it would be written; a value typed before stays as typed."""
        return value if value is None or isinstance(value, str) else as_written(value)

    def clean(self, value: Any) -> Any:
        """The value that was written."""
        return as_read(super().clean(value))


def as_read(text: str) -> Any:
    """The JSON value of a text, or the text itself."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def as_written(value: Any) -> str:
    """The text that reads back as `value`."""
    if isinstance(value, str) and as_read(value) == value:
        return value
    return orjson.dumps(value).decode()


def area(rows: int = 3) -> forms.Textarea:
    """A text box of so many rows."""
    return forms.Textarea(attrs={"rows": rows})


def field_for(argument: Argument) -> forms.Field:
    """The form field that takes one argument of a check."""
    words: dict[str, Any] = {
        "label": argument.label,
        "help_text": argument.help,
        "required": argument.required,
    }
    bounds: dict[str, Any] = {"min_value": argument.minimum, "max_value": argument.maximum}
    match argument.type:
        case ArgumentType.BOOL:
            return forms.BooleanField(**words | {"required": False})
        case ArgumentType.INTEGER:
            return forms.IntegerField(**words, **bounds)
        case ArgumentType.NUMBER:
            return forms.FloatField(**words, **bounds)
        case ArgumentType.CHOICE:
            choices = [(each, each) for each in argument.choices]
            return forms.ChoiceField(choices=choices, **words)
        case ArgumentType.LIST:
            return ListField(widget=area(), **words)
        case ArgumentType.JSON:
            return JSONOrTextField(strip=False, widget=area(), max_length=100_000, **words)
        case ArgumentType.PATTERN:
            return forms.CharField(strip=False, max_length=2_000, **words)
    return forms.CharField(strip=False, max_length=20_000, widget=area(2), **words)


class CheckForm(forms.Form):
    """A name, and the arguments of one kind of check."""

    name = forms.CharField(
        max_length=160, required=False, help_text="Left empty, the check names itself."
    )

    def __init__(self, kind: CheckKind, data: Any = None, *, scorer: Scorer | None = None) -> None:
        super().__init__(data)
        self.kind = kind
        known: dict[str, Any] = {}
        if scorer is not None and scorer.version is not None:
            self.initial["name"] = scorer.name
            known = scorer.version.spec.get("arguments", {})
        for argument in kind.arguments:
            field = field_for(argument)
            value = known.get(argument.name, argument.default)
            is_json = argument.type is ArgumentType.JSON
            field.initial = as_written(value) if is_json and value is not None else value
            self.fields[ARGUMENT + argument.name] = field
            if argument.from_ground_truth:
                self.offer_ground_truth(argument, is_told=argument.is_told_by_item(value))

    def offer_ground_truth(self, argument: Argument, *, is_told: bool) -> None:
        """A box beside the field, which needs no value where the box is ticked."""
        box, field = TRUTH + argument.name, self.fields[ARGUMENT + argument.name]
        help_text = "Each item is held against its own ground truth; no value is needed here."
        self.fields[box] = forms.BooleanField(
            label="Use the item's ground truth", help_text=help_text, required=False
        )
        self.fields[box].initial = is_told
        if is_told:
            field.initial = None
        self.use_required_attribute = False  # the browser cannot know that the box is enough
        field.required = not self[box].data

    def value_of(self, argument: Argument) -> Any:
        """What was filled in for an argument, or that the item tells it."""
        if self.cleaned_data.get(TRUTH + argument.name):
            return argument.settle(checks.GROUND_TRUTH)
        return self.cleaned_data.get(ARGUMENT + argument.name)

    def arguments(self) -> dict[str, Any]:
        """What was filled in; an empty optional field means the default."""
        found = {}
        for argument in self.kind.arguments:
            value = self.value_of(argument)
            if argument.required or value not in (None, ""):
                found[argument.name] = value
        return found

    def clean(self) -> dict[str, Any]:
        """Refuse what the check refuses, in its words and beside the field."""
        for argument in self.kind.arguments:
            name = ARGUMENT + argument.name
            value = self.value_of(argument)
            if name in self.errors or (not argument.required and value in (None, "")):
                continue
            try:
                argument.settle(value)
            except CheckArgumentError as error:
                self.add_error(name, str(error))
        return self.cleaned_data


def check_kinds() -> list[CheckKind]:
    """All kinds of check, to choose from."""
    return list(checks.CATALOGUE.values())


class AttachmentForm(forms.ModelForm):  # type: ignore[type-arg] # not generic at run time
    """On which terms a scorer judges an agent."""

    class Meta:
        model = ScorerAttachment
        fields = ("agent", "is_gate", "threshold_min", "threshold_max")
        labels = {"is_gate": "Gate", "threshold_min": "At least", "threshold_max": "At most"}
        help_texts = {
            "is_gate": "A run fails unless every score is full.",
            "threshold_min": "The mean to reach.",
            "threshold_max": "The mean not to pass.",
        }

    def __init__(self, data: Any = None, *, project: Any) -> None:
        super().__init__(data)
        self.fields["agent"].queryset = project.agents.active().by_name()  # type: ignore[attr-defined]
        for name in ("threshold_min", "threshold_max"):
            self.fields[name].widget.attrs["step"] = "any"

    def clean(self) -> dict[str, Any]:
        """Refuse a range that nothing can lie in."""
        found = super().clean() or {}
        low, high = found.get("threshold_min"), found.get("threshold_max")
        if low is not None and high is not None and low > high:
            self.add_error("threshold_max", "This is below the lower threshold.")
        return found
