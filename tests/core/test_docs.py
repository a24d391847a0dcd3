"""The documents tell of everything public, and their examples run."""

from __future__ import annotations

import inspect
import re
import socket
from pathlib import Path

import pytest

import evals_core
from evals_core import checks, registry
from evals_core.checks import CATALOGUE, CheckKind

ROOT = Path(__file__).resolve().parents[2]
ENGINE = ROOT / "docs" / "engine.md"
FENCE = re.compile(r"^ *```(?P<mark>[^\n`]*)\n(?P<code>.*?)^ *```$", re.MULTILINE | re.DOTALL)


def pages() -> list[Path]:
    """README.md and every page of the documents."""
    return [
        page for page in (ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))) if page.exists()
    ]


def examples(page: Path) -> list[tuple[int, str]]:
    """The Python blocks of a page, each with the line it begins at."""
    text = page.read_text(encoding="utf-8")
    return [
        (text.count("\n", 0, found.start("code")), found["code"])
        for found in FENCE.finditer(text)
        if found["mark"].split(maxsplit=1)[:1] == ["python"]
    ]


def row_of(kind: CheckKind) -> str:
    """What the table of checks says about one kind."""
    name = kind.kind.removeprefix("check-").replace("-", "_")
    parameters = inspect.signature(getattr(checks, name)).parameters.values()
    given = ", ".join(each.name for each in parameters if each.kind is not each.KEYWORD_ONLY)
    options = ", ".join(f"`{each.name}`" for each in parameters if each.kind is each.KEYWORD_ONLY)
    help_text = kind.help[0].lower() + kind.help[1:].removesuffix(".")
    return f"| `{name}({given})` | `{kind.kind}` | {help_text} | {options} |"


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_every_example_runs(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_network(*_: object) -> None:
        raise OSError("an example must not need the network")

    monkeypatch.setattr(socket.socket, "connect", no_network)
    monkeypatch.setattr(registry, "_makers", dict(registry._makers))
    blocks = examples(page)
    namespace: dict[str, object] = {"__name__": page.stem}
    for line, code in blocks:
        # The empty lines make a failure name the line of the page.
        exec(compile("\n" * line + code, str(page), "exec"), namespace)  # noqa: S102 - our own pages
    assert len(blocks) == page.read_text(encoding="utf-8").count("```python")


def test_no_example_is_kept_from_running() -> None:
    for page in pages():
        marks = {found["mark"] for found in FENCE.finditer(page.read_text(encoding="utf-8"))}
        assert not {mark for mark in marks if mark.startswith("py") and mark != "python"}, page.name


@pytest.mark.parametrize("kind", CATALOGUE.values(), ids=lambda kind: kind.kind)
def test_every_check_is_in_the_table(kind: CheckKind) -> None:
    assert row_of(kind) in ENGINE.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("name", evals_core.__all__)
def test_every_public_name_of_the_engine_is_told(name: str) -> None:
    text = ENGINE.read_text(encoding="utf-8")
    assert re.search(rf"\b{re.escape(name)}\b", text), f"docs/engine.md does not tell of {name}"


def test_every_verdict_and_outcome_is_told() -> None:
    text = ENGINE.read_text(encoding="utf-8")
    for word in (*evals_core.Verdict, *evals_core.Outcome):
        assert f"`{word}`" in text
