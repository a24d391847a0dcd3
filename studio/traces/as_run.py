"""A stored trace as the run that was scored."""

from __future__ import annotations

from collections.abc import Mapping

import evals_core
from studio.traces.models import Trace
from studio.traces.record import RUN_KEY


def as_run(trace: Trace) -> evals_core.Run:
    """The engine's view of a trace, equal to what was scored when it was made from a run."""
    metadata = dict(trace.metadata)
    kept = metadata.pop(RUN_KEY, None)
    beside = kept if isinstance(kept, Mapping) else {}
    return evals_core.Run(
        input=trace.input,
        output=trace.output,
        ground_truth=beside.get("ground_truth", evals_core.ABSENT),
        expected_trajectory=beside.get("expected_trajectory", evals_core.ABSENT),
        request_context=trace.request_context,
        metadata=metadata,
        tags=tuple(beside.get("tags", ())),
        run_id=str(beside.get("id", trace.trace_id)),
        trace_id=trace.trace_id,
    )
