"""Keyset pages: any depth costs the same, and new rows never shift old ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode

from django.db.models import Model, Q, QuerySet

PAGE_SIZE = 50
MAX_PAGE_SIZE = 200
MAX_ID = 2**63 - 1
Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True)
class Page(Generic[Row]):
    """One page of rows with the query strings of its neighbours (None where there is none)."""

    rows: Sequence[Row]
    older: str | None
    newer: str | None

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


def number(text: str | None, default: int, top: int) -> int:
    """A whole number from a query string, kept within 0..`top`; anything else is `default`."""
    if text is None or not text.isascii() or not text.isdigit() or len(text) > 19:
        return default
    return min(int(text), top)


def page_of(
    params: Mapping[str, Any],
    rows: QuerySet[Row],
    *,
    size: int | None = None,
    newest: bool = True,
) -> Page[Row]:
    """The page that `before` / `after` (row ids) of a query string ask for.

    `rows` are ordered by id here, newest first unless `newest` is false; `before` continues
    downwards in that order, `after` upwards.
    """
    limit = size or max(1, number(params.get("limit"), PAGE_SIZE, MAX_PAGE_SIZE))
    before = number(params.get("before"), 0, MAX_ID)
    after = number(params.get("after"), 0, MAX_ID)
    down, up = ("pk__lt", "pk__gt") if newest else ("pk__gt", "pk__lt")
    ordered = rows.order_by("-pk" if newest else "pk")
    if after:
        found = list(ordered.filter(Q(**{up: after})).reverse()[: limit + 1])
        more_up, more_down = len(found) > limit, True
        found = found[:limit][::-1]
    else:
        found = list((ordered.filter(Q(**{down: before})) if before else ordered)[: limit + 1])
        more_up, more_down = bool(before), len(found) > limit
        found = found[:limit]
    older = link(params, before=found[-1].pk) if found and more_down else None
    newer = link(params, after=found[0].pk) if found and more_up else None
    return Page(found, older, newer)


def link(params: Mapping[str, Any], **changes: object) -> str:
    """The query string of `params` with the place in the list replaced by `changes`."""
    lists = params.lists() if hasattr(params, "lists") else [(k, [v]) for k, v in params.items()]
    kept = [(k, v) for k, vs in lists for v in vs if k not in {"before", "after"} | set(changes)]
    return "?" + urlencode([*kept, *((k, v) for k, v in changes.items() if v is not None)])
