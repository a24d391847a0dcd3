"""An item as somebody wants it: values not yet stored."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from evals_core.run import ABSENT
from studio.web.text import clean

if TYPE_CHECKING:
    from studio.datasets.models import DatasetItem

MAX_EXTERNAL_ID = 200
MAX_SOURCE_KEY = 120


@dataclass(frozen=True, slots=True)
class ItemDraft:
    """What an item should hold; `ground_truth` is ABSENT unless one is expected."""

    input: Any
    ground_truth: Any = ABSENT
    expected_trajectory: Any = None
    tool_mocks: Sequence[Any] = ()
    request_context: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    tags: Sequence[str] = ()
    external_id: str = ""
    source: Mapping[str, Any] = field(default_factory=dict)
    source_key: str = ""

    @property
    def has_ground_truth(self) -> bool:
        """Something is expected, be it null."""
        return self.ground_truth is not ABSENT

    def content(self) -> str:
        """Everything that makes two items the same, where they come from left aside."""
        truth = [self.ground_truth] if self.has_ground_truth else []
        parts = [self.input, truth, self.expected_trajectory, list(self.tool_mocks)]
        more = [dict(self.request_context), dict(self.metadata), list(self.tags), self.external_id]
        return json.dumps([*parts, *more], sort_keys=True)


def cleaned(draft: ItemDraft) -> ItemDraft:
    """The draft as every database can hold it."""
    truth = clean(draft.ground_truth) if draft.has_ground_truth else ABSENT
    return replace(
        draft,
        input=clean(draft.input),
        ground_truth=truth,
        expected_trajectory=clean(draft.expected_trajectory),
        tool_mocks=clean(list(draft.tool_mocks)),
        request_context=clean(draft.request_context),
        metadata=clean(draft.metadata),
        tags=[clean(str(tag)) for tag in draft.tags],
        external_id=clean(draft.external_id),
        source=clean(draft.source),
        source_key=clean(draft.source_key),
    )


def is_storable(draft: ItemDraft) -> bool:
    """Cleaning changes nothing."""
    try:
        return cleaned(draft).content() == draft.content()
    except (TypeError, ValueError, RecursionError):
        return False


def draft_of(row: DatasetItem) -> ItemDraft:
    """A stored item as a draft, to be changed and saved again."""
    return ItemDraft(
        input=row.input,
        ground_truth=row.ground_truth if row.has_ground_truth else ABSENT,
        expected_trajectory=row.expected_trajectory,
        tool_mocks=row.tool_mocks,
        request_context=row.request_context,
        metadata=row.metadata,
        tags=row.tags,
        external_id=row.external_id,
        source=row.source,
        source_key=row.source_key,
    )
