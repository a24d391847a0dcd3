"""A stored item as the engine's item."""

from __future__ import annotations

import evals_core
from evals_core.run import ABSENT
from studio.datasets.models import DatasetItem


def engine_item(row: DatasetItem) -> evals_core.Item:
    """What the engine asks a target, and what it expects."""
    trajectory = row.expected_trajectory
    return evals_core.Item(
        input=row.input,
        ground_truth=row.ground_truth if row.has_ground_truth else ABSENT,
        expected_trajectory=ABSENT if trajectory is None else trajectory,
        request_context=row.request_context,
        metadata=row.metadata,
        tags=tuple(row.tags),
        id=row.item_id,
    )
