"""How a recorded line is asked of our engine: one reader for each function that was recorded.

A module of this package may define
- READERS: function name → reader, which takes the line's input and gives our answer;
- RECORDED: the same, with the options that ask for the recorded behaviour;
- DEVIATIONS: function name → a function of input and answer that names the rule by which
  we answer differently on purpose, or gives None.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from importlib import import_module
from typing import Any

Json = dict[str, Any]
Reader = Callable[[Json], Any]
Deviation = Callable[[Json, Json], str | None]

READERS: dict[str, Reader] = {}
RECORDED: dict[str, Reader] = {}
DEVIATIONS: dict[str, Deviation] = {}


def load() -> None:
    """Collect the readers of every module of this package."""
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        found = import_module(module.name)
        READERS.update(found.READERS)
        RECORDED.update(getattr(found, "RECORDED", {}))
        DEVIATIONS.update(getattr(found, "DEVIATIONS", {}))
