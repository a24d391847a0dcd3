"""The documentation names everything that people can set, call, run or read in a result."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from evals_core import checks
from studio.scorers.models import Score

ROOT = Path(__file__).resolve().parent.parent
PAGES = {path.name: path.read_text() for path in sorted((ROOT / "docs").glob("*.md"))}
README = (ROOT / "README.md").read_text()
SETTINGS = sorted(set(re.findall(r'env\(\s*"(\w+)"', (ROOT / "studio/settings.py").read_text())))
COMMANDS = sorted(
    path.stem
    for path in (ROOT / "studio/management/commands").glob("*.py")
    if path.stem != "__init__"
)
PROJECT = "api/v1/projects/{project}"


def routes(patterns: list[URLPattern | URLResolver], before: str = "") -> Iterator[str]:
    """Every address under these patterns, with parameters in braces."""
    for each in patterns:
        path = before + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(each.pattern))
        if isinstance(each, URLResolver):
            yield from routes(each.url_patterns, path)
        else:
            yield path


API = sorted(path for path in routes(get_resolver().url_patterns) if path.startswith("api/v1/"))


def in_docs(path: str) -> str:
    """An address as the page about the API writes it."""
    return f"/{path}".replace(f"/{PROJECT}", "PROJECT").replace("{pk}", "{id}")


def test_it_finds_what_there_is_to_document() -> None:
    assert len(SETTINGS) > 10
    assert len(API) > 20
    assert {"up", "demo"} <= set(COMMANDS)


@pytest.mark.parametrize("name", SETTINGS)
def test_it_documents_every_setting(name: str) -> None:
    assert f"| `{name}` |" in PAGES["operations.md"]


@pytest.mark.parametrize("name", COMMANDS)
def test_it_documents_every_management_command(name: str) -> None:
    assert f"`manage.py {name}`" in PAGES["operations.md"]


@pytest.mark.parametrize("path", API)
def test_it_documents_every_address_of_the_api(path: str) -> None:
    assert f"`{in_docs(path)}`" in PAGES["api.md"]


@pytest.mark.parametrize("kind", checks.CATALOGUE)
def test_it_documents_every_kind_of_check(kind: str) -> None:
    assert f"| `{kind}` |" in PAGES["experiments.md"]


@pytest.mark.parametrize("word", ["passed", "scored", "failed", *Score.Outcome.values])
def test_it_documents_every_verdict_and_outcome(word: str) -> None:
    assert f"| `{word}` |" in PAGES["experiments.md"]


@pytest.mark.parametrize("name", PAGES)
def test_it_leads_to_every_page_from_the_readme(name: str) -> None:
    assert f"(docs/{name})" in README


@pytest.mark.parametrize("page", [*PAGES, "README.md"])
def test_it_links_only_to_files_that_are_there(page: str) -> None:
    folder, text = (ROOT, README) if page == "README.md" else (ROOT / "docs", PAGES[page])
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", text)
    assert [link for link in links if not (folder / link).exists()] == []
