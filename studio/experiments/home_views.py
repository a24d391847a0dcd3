"""A project's home: what runs, what was decided, what fails, and what to do next."""

from __future__ import annotations

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from studio.experiments.home_queries import (
    failing_gates,
    latest_verdicts,
    scorer_rows,
    steps,
)
from studio.experiments.queries import rows_for, with_verdicts
from studio.web.access import may, project_page
from studio.web.http import Request, render_page

SHOWN = 6


@project_page
@require_safe
def home(request: Request) -> HttpResponse:
    """The first page of a project."""
    mine = with_verdicts(request.project).newest_first()
    decided = latest_verdicts(request.project)
    first_steps = steps(request.project)
    context = {
        "nav": "home",
        "running": rows_for(mine.open()[:SHOWN]),
        "decided": rows_for(decided[:SHOWN]),
        "failing": failing_gates(decided)[:SHOWN],
        "scorers": scorer_rows(request.project, SHOWN + 2),
        "steps": first_steps,
        "all_done": all(step.done for step in first_steps),
        "may_write": may(request.member, "editor"),
    }
    return render_page(request, "home.html", context=context)
