"""Pages of agents."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from studio.accounts.audit import record
from studio.agents.forms import AgentForm, initial_of
from studio.agents.make import change_agent, create_agent
from studio.agents.models import Agent
from studio.agents.queries import agent_rows, agents_of, connections_of, versions_of
from studio.web.access import may, project_page
from studio.web.http import Request, render_page

MAX_AGENTS = 500
MAX_VERSIONS = 200


@project_page
@require_safe
def agent_list(request: Request) -> HttpResponse:
    """All agents by name."""
    agents = list(agents_of(request.project)[:MAX_AGENTS])
    context = {"nav": "agents", "agents": agents, "may_write": may(request.member, "editor")}
    return render_page(request, "agents/list.html", context=context)


@project_page
@require_safe
def agent_detail(request: Request, slug: str) -> HttpResponse:
    """One agent: its current definition, its versions, its connection."""
    agent = get_object_or_404(agent_rows(request.project), slug=slug)
    here = reverse("agents:detail", args=[request.project.slug, slug])
    context = {
        "nav": "agents",
        "agent": agent,
        "version": agent.version,
        "versions": list(versions_of(agent)[:MAX_VERSIONS]),
        "may_write": may(request.member, "editor"),
        "crumbs": crumbs(request, agent.name),
        "tabs": [
            {"title": "Overview", "url": here, "active": True},
            {"title": "Evaluate", "url": evaluate_url(request, slug)},
        ],
    }
    return render_page(request, "agents/detail.html", context=context)


def evaluate_url(request: Request, slug: str) -> str:
    """The agent's Evaluate tab, which belongs to what it shows."""
    return reverse("experiments:evaluate", args=[request.project.slug, slug])


def crumbs(request: Request, title: str) -> list[dict[str, Any]]:
    """Where a page below the list stands."""
    url = reverse("agents:list", args=[request.project.slug])
    return [{"title": "Agents", "url": url}, {"title": title, "url": None}]


@project_page(read="editor")
@require_http_methods(["GET", "HEAD", "POST"])
def agent_create(request: Request) -> HttpResponse:
    """A new agent behind an OpenAI-compatible API."""
    form = AgentForm(request.project, request.POST or None)
    if request.method == "POST" and form.is_valid():
        agent = create_agent(request.project, form.draft(), request.user)
        record("agent made", actor=request.user, project=request.project, target=agent)
        messages.success(request, f"{agent.name} is ready. Run it on a dataset from Evaluate.")
        return redirect("agents:detail", request.project.slug, agent.slug)
    return show_form(request, form, "New agent")


@project_page(read="editor")
@require_http_methods(["GET", "HEAD", "POST"])
def agent_edit(request: Request, slug: str) -> HttpResponse:
    """A new version of an agent behind an API."""
    rows = agent_rows(request.project).filter(kind=Agent.Kind.OPENAI)
    agent = get_object_or_404(rows, slug=slug)
    form = AgentForm(request.project, request.POST or None, initial=initial_of(agent))
    if request.method == "POST" and form.is_valid():
        version = change_agent(agent, form.draft(), request.user)
        record("agent changed", actor=request.user, project=request.project, target=agent)
        messages.success(request, f"{agent.name} is at version {version.number} now.")
        return redirect("agents:detail", request.project.slug, agent.slug)
    return show_form(request, form, f"Edit {agent.name}", agent)


def show_form(
    request: Request, form: AgentForm, title: str, agent: Agent | None = None
) -> HttpResponse:
    """The form's page; 422 when what was sent is not accepted."""
    context = {
        "nav": "agents",
        "form": form,
        "title": title,
        "agent": agent,
        "connections": list(connections_of(request.project)),
        "crumbs": crumbs(request, title),
    }
    status = 422 if form.is_bound else 200
    return render_page(request, "agents/form.html", context=context, status=status)
