"""One row of everything in a project, and the ids by which addresses name them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.urls import URLPattern, URLResolver, get_resolver

from studio.accounts.models import Member, Project
from studio.accounts.sign_in import digest
from studio.accounts.tokens import make_token
from studio.agents.models import Agent, ProviderConnection
from studio.datasets.uploads import keep_upload
from studio.scorers.save import attach_scorer
from studio.traces.models import Trace
from tests.studio.experiments.made import answer, give_score, make_experiment, make_scorer

Ids = dict[str, Any]


def everything(project: Project, owner: User, name: str) -> Ids:
    """Fill the project; every id has a key, slugs begin with `name`."""
    version = make_scorer(project, f"{name} check")
    experiment = make_experiment(project, 2, (version,))
    trial = experiment.trials.first()
    assert trial is not None
    assert experiment.agent is not None
    trace: Trace = answer(trial)
    score = give_score(trial, version, 1.0)
    connection = ProviderConnection.objects.create(
        project=project, name=f"{name} host", base_url="https://example.org/v1"
    )
    agent = experiment.agent
    agent.slug = f"{name}-agent"
    agent.kind, agent.connection = Agent.Kind.OPENAI, connection
    agent.save()
    assert experiment.dataset_version is not None
    dataset = experiment.dataset_version.dataset
    dataset.slug = f"{name}-items"
    dataset.save()
    attachment = attach_scorer(agent, version.scorer)
    extra = User.objects.create_user(f"{name}-extra")
    member = Member.objects.create(project=project, user=extra, role="viewer")
    token, _ = make_token(project, owner, f"{name} token", "read")
    return {
        "agent": agent.slug, "connection": connection.pk, "scorer": version.scorer.slug,
        "trace": trace.trace_id, "attachment": attachment.pk, "score": score.pk,
        "dataset": dataset.slug, "item": trial.item.item_id, "experiment": experiment.pk,
        "trial": trial.pk, "member": member.pk, "token": token.pk,
        "upload": keep_upload(project.pk, owner.pk, b'{"input": "a"}\n', name="a.jsonl"),
        "link": digest("nobody's"),
    }  # fmt: skip


# What the part of an address before a parameter says about the parameter, longest first.
KINDS = {
    "agents/connections/<int:pk>": "connection",
    "scorers/trace/<str:trace_id>": "trace",
    "detach/<int:pk>": "attachment",
    "attachments/<int:pk>": "attachment",
    "scores/<int:pk>": "score",
    "experiments/agents/<slug:slug>": "agent",
    "agents/<slug:slug>": "agent",
    "scorers/<slug:slug>": "scorer",
    "datasets/import/<str:key>": "upload",
    "datasets/<slug:slug>": "dataset",
    "items/<str:item_id>": "item",
    "experiments/<int:pk>": "experiment",
    "trials/<int:trial_pk>": "trial",
    "traces/<slug:trace_id>": "trace",
    "tokens/<int:pk>": "token",
    "members/<int:pk>": "member",
    "sign-in/<str:token>": "link",
}


def path_of(route: str, project: str, ids: Ids) -> str:
    """The address that a route has for these ids."""
    path = route.replace("<slug:project>", project)
    for pattern, kind in KINDS.items():
        start, parameter = pattern.rsplit("/", 1)
        path = path.replace(pattern, f"{start}/{ids[kind]}") if parameter in path else path
    assert "<" not in path, f"No id is known for {path}"
    return f"/{path}"


def kinds_of(route: str) -> list[str]:
    """The kinds of rows that a route names."""
    return [kind for pattern, kind in KINDS.items() if pattern in route]


def routes() -> list[str]:
    """Every route of the studio."""
    return sorted(set(walk(get_resolver().url_patterns, "")))


def walk(patterns: list[URLPattern | URLResolver], before: str) -> Iterator[str]:
    """The routes below some patterns."""
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from walk(pattern.url_patterns, route)
        else:
            yield route


class Undone(Exception):
    """Takes back what a call did."""


def undone(call: Any, *args: Any, **kwargs: Any) -> Any:
    """The answer to a call whose writes are taken back."""
    answers = []
    try:
        with transaction.atomic():
            answers.append(call(*args, **kwargs))
            raise Undone
    except Undone:
        return answers[0]
