"""Pages of traces: the list, and one trace with its conversation and spans."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import NoReverseMatch, reverse
from django.views.decorators.http import require_safe

from studio.traces.conversation import conversation
from studio.traces.models import Trace
from studio.traces.queries import FILTERS, choices, filtered, spans_of
from studio.traces.record import RUN_KEY
from studio.web.access import project_page
from studio.web.http import Request, render_page
from studio.web.paging import page_of


@project_page
@require_safe
def trace_list(request: Request) -> HttpResponse:
    """All traces, newest first; for htmx only the table."""
    asked = {name: request.GET.get(name, "") for name in FILTERS}
    context = {
        "nav": "traces",
        "page": page_of(request.GET, filtered(request.project, asked)),
        "asked": asked,
        "has_filters": any(asked.values()),
        "choices": choices(request.project),
    }
    return render_page(request, "traces/list.html", part="traces/_traces.html", context=context)


@project_page
@require_safe
def trace_detail(request: Request, trace_id: str) -> HttpResponse:
    """One trace: the conversation first, then its steps, JSON last."""
    rows = Trace.objects.select_related("agent_version__agent").defer("agent_version__spec")
    trace = get_object_or_404(rows, project=request.project, trace_id=trace_id)
    spans, has_more = spans_of(trace)
    project = request.project.slug
    context = {
        "nav": "traces",
        "trace": trace,
        "messages_shown": conversation(trace.input, trace.output),
        "raw": {"input": trace.input, "output": trace.output},
        "beside": trace.metadata.pop(RUN_KEY, None),
        "spans": spans,
        "has_more_spans": has_more,
        "scores_url": scores_url(project, trace_id),
        "crumbs": [
            {"title": "Traces", "url": reverse("traces:list", args=[project])},
            {"title": trace_id[:8], "url": None},
        ],
    }
    return render_page(request, "traces/detail.html", context=context)


def scores_url(project: str, trace_id: str) -> str | None:
    """Where the trace's scores are, if the scorers offer that part."""
    try:
        return reverse("scorers:trace_scores", args=[project, trace_id])
    except NoReverseMatch:
        return None
