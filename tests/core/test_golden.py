"""Every recorded answer is ours too, or differs by a rule that has a name."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

from tests.golden import readers
from tests.golden.run import agrees, lines_of, main, tally_of

FOLDER = Path(__file__).parents[1] / "golden"
FILES = sorted(FOLDER.glob("*.jsonl.gz"))
FAMILIES = ("checks.", "utils.", "pipeline.", "runEvals.agent")

readers.load()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name.removesuffix(".jsonl.gz"))
def test_it_agrees_with_the_recording(path: Path) -> None:
    tally = tally_of(path)
    assert not tally.wrong, tally.wrong[:3]
    assert tally.agreeing > 0


def test_every_recorded_function_is_there() -> None:
    names = {path.name for path in FILES}
    assert len(names) == 31
    assert all(name.startswith(FAMILIES) for name in names)


def test_each_deviation_names_its_rule() -> None:
    tally = tally_of(FOLDER / "checks.matches.jsonl.gz")
    assert tally.deviating == {"B8 patterns run in linear time": 11, "quirk matches-exact": 3}


def test_a_wrong_line_fails_the_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = next(lines_of(FOLDER / "utils.roundToTwoDecimals.jsonl.gz"))
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text(json.dumps({**line, "expected": {"value": 12.5}}) + "\n")
    assert main([str(wrong)]) == 1
    assert "0 agree, 0 stated deviations, 1 wrong" in capsys.readouterr().out
    assert main([]) == 1


def test_the_script_runs_by_itself_from_any_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    path = FOLDER / "utils.roundToTwoDecimals.jsonl.gz"
    monkeypatch.setattr("sys.argv", ["run.py", str(path)])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(FOLDER / "run.py"), run_name="__main__")
    assert ended.value.code == 0


def test_an_unknown_function_is_wrong(tmp_path: Path) -> None:
    unknown = tmp_path / "unknown.jsonl"
    unknown.write_text('{"id": "x/1", "fn": "x", "input": {}, "expected": {}}\n')
    assert tally_of(unknown).wrong == ["x/1: unknown function x"]


@pytest.mark.parametrize(
    ("expected", "answer", "same"),
    [
        (1, 1.0 + 1e-12, True),
        (1, 1.001, False),
        (True, 1, False),
        (float("nan"), float("nan"), True),
        ([1, 2], [1], False),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        (None, "", False),
    ],
)
def test_it_compares_by_value(expected: object, answer: object, same: bool) -> None:
    assert agrees(expected, answer) is same
