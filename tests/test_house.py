"""The house keeps its own rules: sizes, names and order, as CONTRIBUTING.md tells them."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
APPS = ("accounts", "agents", "traces", "datasets", "scorers", "experiments")
VAGUE = {"utils", "helpers", "services", "managers", "common", "misc"}
FORBIDDEN_FILES = {"uv.lock", "pylock.toml", "package-lock.json", "yarn.lock"}
# What may be longer, each with its reason.
LONGER_FILES: dict[str, str] = {}
LONGER_FUNCTIONS: dict[str, str] = {}
UNANNOUNCED_WORK = re.compile(r"#\s*(TODO|FIXME|XXX)\b(?!.*#\d+)")


@cache
def files(pattern: str) -> list[Path]:
    """Files of the repository that match, committed or about to be."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", pattern]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found = {ROOT / name for name in listed.stdout.split("\0") if name}
    return sorted(path for path in found if path.is_file())


def name_of(path: Path) -> str:
    """The path inside the repository."""
    return path.relative_to(ROOT).as_posix()


def code() -> list[Path]:
    """Python files, without migrations."""
    return [path for path in files("*.py") if "migrations" not in path.parts]


def length(path: Path) -> int:
    """How many lines it has."""
    return len(path.read_text().splitlines())


def limit_of(path: Path) -> int:
    """How many lines a Python file may have."""
    return 400 if path.name == "models.py" or name_of(path).startswith("tests/") else 300


def functions(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function of a file."""
    nodes = ast.walk(ast.parse(path.read_text()))
    return [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def decorators(node: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The names of its decorators."""
    return {ast.unparse(each).split("(")[0].split(".")[-1] for each in node.decorator_list}


def longest(path: Path, node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """How many lines a function may have, by what it is."""
    if "shared_task" in decorators(node):
        return 8
    if node.name.startswith("test_"):
        return 25
    views = {"require_safe", "require_GET", "require_POST", "require_http_methods"}
    return 25 if decorators(node) & views else 40


def test_it_keeps_python_files_short() -> None:
    long = {name_of(p): length(p) for p in code() if length(p) > limit_of(p)}
    assert {name: n for name, n in long.items() if name not in LONGER_FILES} == {}


def test_it_keeps_functions_short() -> None:
    long = {}
    for path in code():
        for node in functions(path):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > longest(path, node):
                long[f"{name_of(path)}:{node.name}"] = lines
    assert {name: n for name, n in long.items() if name not in LONGER_FUNCTIONS} == {}


def test_it_keeps_templates_short() -> None:
    long = {}
    for path in files("templates/*.html"):
        is_part = path.name.startswith("_") or "components" in path.parts
        if length(path) > (50 if is_part else 150):
            long[name_of(path)] = length(path)
    assert {name: n for name, n in long.items() if name not in LONGER_FILES} == {}


def test_it_keeps_scripts_short() -> None:
    long = {name_of(p): length(p) for p in files("static/js/*.js") if length(p) > 120}
    assert long == {}


def test_it_names_files_after_what_they_hold() -> None:
    assert [name_of(p) for p in code() if p.stem in VAGUE or p.parent.name in VAGUE] == []


def test_it_commits_no_lock_file_that_records_addresses() -> None:
    assert [name_of(p) for p in files("*") if p.name in FORBIDDEN_FILES] == []


def test_it_names_no_package_registry() -> None:
    for path in files("requirements*.lock"):
        assert "://" not in path.read_text(), name_of(path)


def locked(name: str) -> dict[str, list[str]]:
    """The versions that a lock file holds, by package."""
    found: dict[str, list[str]] = {}
    for line in (ROOT / name).read_text().splitlines():
        if pin := re.match(r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^ ;]+)", line):
            found.setdefault(canonicalize_name(pin[1]), []).append(pin[2])
    return found


def test_it_locks_every_dependency() -> None:
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = [
        each for extra in asked["project"]["optional-dependencies"].values() for each in extra
    ]
    runtime, dev = locked("requirements.lock"), locked("requirements-dev.lock")
    wanted = [(each, runtime) for each in [*asked["project"]["dependencies"], *extras]]
    wanted += [(each, dev) for each in asked["dependency-groups"]["dev"]]
    for text, lock in wanted:
        need = Requirement(text)
        versions = lock.get(canonicalize_name(need.name), [])
        assert versions, f"{text} is not locked: run make lock"
        assert all(need.specifier.contains(v, prereleases=True) for v in versions), text
    assert all(dev.get(name) == versions for name, versions in runtime.items())


@pytest.mark.parametrize("app", APPS)
def test_it_gives_each_app_the_same_files(app: str) -> None:
    folder = ROOT / "studio" / app
    for name in ("__init__.py", "apps.py", "models.py"):
        assert (folder / name).is_file(), f"{app}/{name}"


def test_it_says_what_every_module_is_for() -> None:
    silent = [
        name_of(p)
        for p in code()
        if p.read_text().strip() and not ast.get_docstring(ast.parse(p.read_text()))
    ]
    assert silent == []


def test_it_explains_its_public_functions() -> None:
    silent = [
        f"{name_of(path)}:{node.name}"
        for path in code()
        if not name_of(path).startswith("tests/")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
        and "overload" not in {ast.unparse(each) for each in node.decorator_list}
        and not ast.get_docstring(node)
    ]
    assert silent == []


def test_it_leaves_no_unannounced_work() -> None:
    found = [name_of(p) for p in code() if UNANNOUNCED_WORK.search(p.read_text())]
    assert found == []


def test_it_writes_no_style_or_script_into_pages() -> None:
    inline = re.compile(r"""\sstyle=|<script>|<style|\son(click|load|change|submit|input)=""")
    assert [name_of(p) for p in files("templates/*.html") if inline.search(p.read_text())] == []


def test_it_loads_nothing_from_another_host() -> None:
    foreign = re.compile(r"""(src|href)=["'](https?:)?//|url\(["']?(https?:)?//|@import""")
    found = [*files("templates/*.html"), *files("static/*.css"), *files("static/*.js")]
    assert [name_of(p) for p in found if foreign.search(p.read_text())] == []


def test_it_keeps_engine_tests_free_of_django() -> None:
    django = re.compile(r"^\s*(from|import) (django|studio)\b", re.MULTILINE)
    assert [name_of(p) for p in files("tests/core/*.py") if django.search(p.read_text())] == []
