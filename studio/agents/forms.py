"""Forms for connections and for agents behind a URL."""

from __future__ import annotations

import json
from typing import Any, cast

from django import forms

from studio.accounts.models import Project
from studio.agents.connections import ConnectionDraft
from studio.agents.make import AgentDraft
from studio.agents.models import Agent, ProviderConnection
from studio.llm.addresses import OutboundError, check_url


class ConnectionForm(forms.Form):
    """Where a model lives, and the key to it."""

    name = forms.CharField(max_length=80, help_text="For example “OpenAI” or “Local vLLM”.")
    base_url = forms.URLField(
        max_length=500,
        assume_scheme="https",
        label="Base URL",
        help_text="The address before /chat/completions, such as https://api.openai.com/v1.",
    )
    key = forms.CharField(
        max_length=1000,
        required=False,
        label="API key",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="Stored encrypted and never shown again. Another base URL needs it again.",
    )

    def clean_base_url(self) -> str:
        """An address that the studio may reach."""
        url: str = self.cleaned_data["base_url"]
        try:
            check_url(url)
        except OutboundError as error:
            raise forms.ValidationError(error.message) from error
        return url

    def draft(self) -> ConnectionDraft:
        """What the form says."""
        return ConnectionDraft(**self.cleaned_data)


class ParametersField(forms.JSONField):
    """JSON whose absence is an empty field."""

    def prepare_value(self, value: Any) -> Any:
        """What the field shows."""
        return "" if value is None else super().prepare_value(value)


class AgentForm(forms.Form):
    """An agent behind an OpenAI-compatible API."""

    name = forms.CharField(max_length=120)
    description = forms.CharField(required=False, max_length=1000)
    connection = forms.ModelChoiceField(ProviderConnection.objects.none(), empty_label=None)
    model = forms.CharField(max_length=200, help_text="The model's name at its provider.")
    instructions = forms.CharField(
        required=False,
        max_length=100_000,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text="The system prompt.",
    )
    temperature = forms.FloatField(required=False, min_value=0, max_value=2)
    max_tokens = forms.IntegerField(required=False, min_value=1, max_value=1_000_000)
    parameters = ParametersField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Other parameters of the call as a JSON object.",
    )
    label = forms.CharField(
        required=False,
        max_length=80,
        help_text="A name for this version, such as “shorter prompt”.",
    )

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choice = cast("forms.ModelChoiceField[ProviderConnection]", self.fields["connection"])
        choice.queryset = project.connections.order_by("name")

    def clean_parameters(self) -> dict[str, Any]:
        """A JSON object that leaves the model and the messages alone."""
        return checked_parameters(self.cleaned_data["parameters"])

    def draft(self) -> AgentDraft:
        """What the form says."""
        said = dict(self.cleaned_data)
        given = {key: said.pop(key) for key in ("temperature", "max_tokens")}
        own = {key: value for key, value in given.items() if value is not None}
        return AgentDraft(**said | {"parameters": said["parameters"] | own})


def checked_parameters(value: Any) -> dict[str, Any]:
    """Parameters of a call; raises `ValidationError` for what may not be among them."""
    if value in (None, ""):
        return {}
    if not isinstance(value, dict):
        raise forms.ValidationError('Give a JSON object, such as {"top_p": 0.9}.')
    fixed = sorted({"model", "messages", "stream"} & set(value))
    if fixed:
        raise forms.ValidationError(f"{', '.join(fixed)} cannot be set here.")
    try:
        json.dumps(value, allow_nan=False)
    except ValueError as error:
        raise forms.ValidationError("NaN and Infinity are not JSON.") from error
    return value


def initial_of(agent: Agent) -> dict[str, Any]:
    """What the form for a new version begins with: the current one."""
    spec = agent.version.spec if agent.version else {}
    parameters = dict(spec.get("parameters", {}))
    return {
        "name": agent.name,
        "description": agent.description,
        "connection": agent.connection_id,
        "model": spec.get("model", ""),
        "instructions": spec.get("instructions", ""),
        "temperature": parameters.pop("temperature", None),
        "max_tokens": parameters.pop("max_tokens", None),
        "parameters": parameters or None,
    }
