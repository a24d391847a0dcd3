"""Python agents that the operator's modules offer."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from studio.agents.errors import AgentUnavailable

MARK = "studio_agent"
Target = TypeVar("Target", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Found:
    """One agent in a module, and the definition by which its version is known."""

    module: str
    name: str
    description: str
    target: Any
    params: dict[str, Any]

    @property
    def entry(self) -> str:
        """How a worker finds it again."""
        return f"{self.module}:{self.name}"

    def spec(self) -> dict[str, Any]:
        """The frozen definition: where it is, its parameters, and a hash of its source."""
        return {
            "entry": self.entry,
            "name": self.name,
            "source": source_hash(self.module, home_of(self.target)),
            "params": self.params,
        }


def agent(name: str, description: str = "") -> Callable[[Target], Target]:
    """Mark a function as an agent that the studio offers under `name`."""

    def mark(target: Target) -> Target:
        setattr(target, MARK, {"name": name, "description": description})
        return target

    return mark


def agents_in(dotted: str) -> list[Found]:
    """All agents of a module: its `AGENTS` list, or what is marked or has `generate`."""
    try:
        module = importlib.import_module(dotted)
    except Exception as error:
        raise AgentUnavailable(f"The module {dotted} could not be loaded: {error}") from error
    listed = getattr(module, "AGENTS", None)
    targets = list(listed) if isinstance(listed, list | tuple) else offered(module)
    return [found(dotted, target) for target in targets]


def offered(module: ModuleType) -> list[Any]:
    """What a module without a list offers, each once, in the order of its names."""
    targets: list[Any] = []
    for value in vars(module).values():
        is_agent = hasattr(value, MARK) or callable(getattr(value, "generate", None))
        if is_agent and not isinstance(value, type | ModuleType) and value not in targets:
            targets.append(value)
    return targets


def found(dotted: str, target: Any) -> Found:
    """A target with its name and description, given or guessed."""
    mark = getattr(target, MARK, {})
    plain = getattr(target, "__name__", type(target).__name__).replace("_", " ").strip()
    name = mark.get("name") or text_of(target, "name") or plain[:1].upper() + plain[1:]
    words = mark.get("description") or text_of(target, "description") or doc_of(target)
    given = getattr(target, "params", None)
    params = dict(given) if isinstance(given, dict) else {}
    return Found(dotted, name[:120], words, target, params)


def text_of(target: Any, attribute: str) -> str:
    """An attribute of a target if it is text."""
    value = getattr(target, attribute, "")
    return value if isinstance(value, str) else ""


def doc_of(target: Any) -> str:
    """The first paragraph of a target's docstring."""
    return (getattr(target, "__doc__", None) or "").strip().split("\n\n")[0]


def home_of(target: Any) -> str:
    """The module in which a target's code is written."""
    code = target if hasattr(target, "__qualname__") else type(target)
    return str(getattr(code, "__module__", ""))


@cache
def source_hash(*modules: str) -> str:
    """A hash of the source of modules; a package counts with all that is in it."""
    digest = hashlib.sha256()
    for path in sorted({path for dotted in modules for path in files_of(dotted)}):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def files_of(dotted: str) -> list[Path]:
    """The source files of a module or package."""
    file = getattr(importlib.import_module(dotted), "__file__", None) if dotted else None
    if file is None:
        return []
    path = Path(file)
    return sorted(path.parent.rglob("*.py")) if path.name == "__init__.py" else [path]


def resolve(entry: str) -> Found:
    """The agent that an entry names; raises `AgentUnavailable` where it is gone."""
    dotted, _, name = entry.partition(":")
    for each in agents_in(dotted):
        if each.name == name:
            return each
    raise AgentUnavailable(f"The module {dotted} no longer offers an agent named {name}.")
