"""What the command palette finds: agents, scorers, datasets, experiments, traces and actions."""

from __future__ import annotations

from collections.abc import Iterator

from django.http import HttpResponse, JsonResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from studio.web.access import may, project_page
from studio.web.http import Request

EACH = 6  # of one kind
SHORTEST_ID = 4
ACTIONS = {
    "New experiment": ("experiments:create", "editor"),
    "New scorer": ("scorers:create", "editor"),
    "New dataset": ("datasets:create", "editor"),
    "Import dataset": ("datasets:import", "editor"),
    "New agent": ("agents:create", "editor"),
    "Experiments": ("experiments:list", "viewer"),
    "Traces": ("traces:list", "viewer"),
    "Settings": ("accounts:settings", "viewer"),
}
Found = dict[str, str]


@project_page
@require_safe
def search(request: Request) -> HttpResponse:
    """At most a few results of each kind for the text `q`."""
    text = request.GET.get("q", "").replace("\x00", "").strip()[:200]
    results = [*actions(request, text)]
    if text:
        results += [
            *named(request, text),
            *experiments(request, text),
            *traces(request, text),
        ]
    return JsonResponse({"results": results})


def actions(request: Request, text: str) -> Iterator[Found]:
    """What this member can do, by words."""
    for title, (url_name, role) in ACTIONS.items():
        if may(request.member, role) and text.lower() in title.lower():
            url = reverse(url_name, args=[request.project.slug])
            yield {"title": title, "kind": "action", "url": url, "hint": ""}


def named(request: Request, text: str) -> Iterator[Found]:
    """Agents, scorers and datasets by name."""
    project = request.project
    for kind, rows in (
        ("agent", project.agents.filter(archived_at=None)),
        ("scorer", project.scorers.filter(archived_at=None)),
        ("dataset", project.datasets.all()),
    ):
        hits = rows.filter(name__icontains=text).order_by("name", "pk")
        for slug, name, hint in hits.values_list("slug", "name", "description")[:EACH]:
            url = reverse(f"{kind}s:detail", args=[project.slug, slug])
            yield {"title": name, "kind": kind, "url": url, "hint": hint[:80]}


def experiments(request: Request, text: str) -> Iterator[Found]:
    """Experiments by name, the latest first."""
    hits = request.project.experiments.filter(name__icontains=text).order_by("-pk")
    for pk, name, state in hits.values_list("pk", "name", "state")[:EACH]:
        url = reverse("experiments:detail", args=[request.project.slug, pk])
        yield {
            "title": name,
            "kind": "experiment",
            "url": url,
            "hint": state.replace("_", " "),
        }


def traces(request: Request, text: str) -> Iterator[Found]:
    """Traces whose id begins with the text."""
    start = text.lower()
    if len(start) < SHORTEST_ID or set(start) - set("0123456789abcdef"):
        return
    hits = request.project.traces.filter(trace_id__startswith=start).order_by("-pk")
    for trace_id, name in hits.values_list("trace_id", "name")[:EACH]:
        url = reverse("traces:detail", args=[request.project.slug, trace_id])
        yield {"title": name, "kind": "trace", "url": url, "hint": trace_id[:12]}
