"""Compare recorded answers with ours: python tests/golden/run.py FILE…"""

from __future__ import annotations

import gzip
import json
import math
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # when run as a script

from tests.golden import readers

TOLERANCE = 1e-9
ERROR_FACTS = (
    "id",
    "failedStep",
    "completedSteps",
)  # an error's wording is not compared


@dataclass
class Tally:
    """What became of the lines of one file."""

    agreeing: int = 0
    by_option: int = 0  # of these, the ones that needed the option for the recorded behaviour
    deviating: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def lines_of(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a plain or packed vector file."""
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    for line in text.splitlines():
        if line.strip():
            yield json.loads(line, object_hook=_number)


def _number(value: dict[str, Any]) -> Any:
    return float(value["$num"]) if value.keys() == {"$num"} else value


def agrees(expected: Any, answer: Any, *, loosely: bool = False) -> bool:
    """Whether the answer is the expected one; loosely, objects may say more than was recorded."""
    if isinstance(expected, dict):
        if not isinstance(answer, dict) or not (loosely or expected.keys() == answer.keys()):
            return False
        return all(
            key in answer and _same(key, value, answer[key]) for key, value in expected.items()
        )
    if isinstance(expected, list):
        return isinstance(answer, (list, tuple)) and (
            len(expected) == len(answer) and all(map(agrees, expected, answer))
        )
    if isinstance(expected, bool) or isinstance(answer, bool):
        return expected is answer
    if isinstance(expected, (int, float)) and isinstance(answer, (int, float)):
        both_nan = math.isnan(expected) and math.isnan(answer)
        return both_nan or math.isclose(expected, answer, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return type(expected) is type(answer) and bool(expected == answer)


def _same(key: str, expected: Any, answer: Any) -> bool:
    if key == "error" and isinstance(expected, dict):
        facts = {fact: expected[fact] for fact in ERROR_FACTS if fact in expected}
        return agrees(facts, answer, loosely=True)
    return agrees(expected, answer, loosely=key == "preprocess")


def judge(line: dict[str, Any], tally: Tally) -> None:
    """Count one line as agreeing, deviating by a rule, or wrong."""
    name, given, expected = line["fn"], line["input"], line["expected"]
    answer = readers.READERS[name](given)
    if "quirk" in line:
        _judge_quirk(line, answer, tally)
    elif _whole(expected, answer):
        tally.agreeing += 1
    elif name in readers.RECORDED and _whole(expected, readers.RECORDED[name](given)):
        tally.agreeing += 1
        tally.by_option += 1
    elif rule := _stated(name, given, answer):
        tally.deviating[rule] += 1
    else:
        tally.wrong.append(f"{line['id']}: expected {expected}, got {answer}")


def _stated(name: str, given: dict[str, Any], answer: Any) -> str | None:
    deviation = readers.DEVIATIONS.get(name)
    return deviation(given, answer) if deviation else None


def _whole(expected: Any, answer: Any) -> bool:
    # An empty recording says that the value was absent, so there must be none.
    return agrees(expected, answer, loosely=True) and (bool(expected) or not answer)


def _judge_quirk(line: dict[str, Any], answer: Any, tally: Tally) -> None:
    if "better" in line and not agrees(line["better"], answer, loosely=True):
        tally.wrong.append(f"{line['id']}: better is {line['better']}, got {answer}")
    else:
        tally.deviating[f"quirk {line['quirk']}"] += 1


def tally_of(path: Path) -> Tally:
    """Run every line of a file; an unknown function is a wrong line."""
    tally = Tally()
    for line in lines_of(path):
        if line["fn"] not in readers.READERS:
            tally.wrong.append(f"{line['id']}: unknown function {line['fn']}")
            continue
        try:
            judge(line, tally)
        except Exception as error:  # noqa: BLE001 - where a reader fails, only its line is wrong
            tally.wrong.append(f"{line['id']}: {type(error).__name__}: {error}")
    return tally


def report(path: Path, tally: Tally) -> Iterable[str]:
    """One line about a file, and one for each of its first wrong lines."""
    option = f" ({tally.by_option} by the recorded-reading option)" if tally.by_option else ""
    rules = "; ".join(f"{rule}: {count}" for rule, count in sorted(tally.deviating.items()))
    deviating = f"{tally.deviating.total()} stated deviations" + (f" ({rules})" if rules else "")
    yield f"{path.name}: {tally.agreeing} agree{option}, {deviating}, {len(tally.wrong)} wrong"
    yield from (f"  {each[:1000]}" for each in tally.wrong[:5])


def main(paths: list[str]) -> int:
    """Print a report of every file; 1 when a line is wrong or nothing was given."""
    readers.load()
    is_wrong = not paths
    for path in map(Path, paths):
        tally = tally_of(path)
        is_wrong = is_wrong or bool(tally.wrong)
        sys.stdout.writelines(f"{line}\n" for line in report(path, tally))
    return int(is_wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
