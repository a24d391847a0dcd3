"""Files that people in this job really use, and small ones of the same shapes."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings

from evals_core.run import ABSENT
from studio.datasets.draft import ItemDraft
from studio.datasets.importing import plan_import
from studio.datasets.mapping import ColumnMapping, ColumnRule, Role, Take, guess_mapping
from studio.datasets.reading import detect, read_table

CORPUS = Path(settings.BASE_DIR).parent / "shared" / "corpus"


def drafts(name: str, take: Take = Take.WHOLE, **roles: Role) -> list[ItemDraft]:
    """The items of a corpus file."""
    path = CORPUS / name
    if not path.exists():
        pytest.skip("the corpus is not beside this repository")
    return drafts_of(path.read_bytes(), name, take, **roles)


def drafts_of(data: bytes, name: str, take: Take = Take.WHOLE, **roles: Role) -> list[ItemDraft]:
    """The items of a file, all of whose rows must be good."""
    table = read_table(data, detect(data, name))
    rules = dict(guess_mapping(table.columns).columns)
    rules |= {column: ColumnRule(role) for column, role in roles.items()}
    plan = plan_import(table, ColumnMapping(rules, take))
    assert plan.faults == []
    return plan.drafts


def test_gsm8k_gives_sixty_items_with_the_number_after_the_marker() -> None:
    made = drafts("gsm8k-test-first60.jsonl", Take.AFTER)
    assert len(made) == 60
    assert made[0].ground_truth == "18"
    assert all("#" not in d.ground_truth and d.ground_truth for d in made)
    whole = drafts("gsm8k-test-first60.jsonl")
    assert "<<16-3-4=9>>" in whole[0].ground_truth
    assert whole[0].ground_truth.endswith("\n#### 18")


def test_support_triage_keeps_its_semicolons_quotes_and_dashes() -> None:
    made = drafts("support-triage.csv", labels=Role.GROUND_TRUTH)
    labels = [d.ground_truth.split(";") for d in made]
    assert [sum(len(each) == n for each in labels) for n in (1, 2)] == [7, 13]
    assert [d.external_id for d in made] == [str(n) for n in range(1, 21)]
    texts = "".join(f"{d.input}{d.ground_truth}{d.metadata}" for d in made)
    assert sum(ord(char) > 127 for char in texts) == 33


def test_mt_bench_has_two_turns_and_a_reference_on_some_rows() -> None:
    made = drafts("mt-bench-questions.jsonl")
    assert len(made) == 80
    assert all(isinstance(d.input, list) and len(d.input) == 2 for d in made)
    assert sum(d.ground_truth is ABSENT for d in made) == 41
    assert sum(isinstance(d.ground_truth, list) for d in made) == 39
    categories = [d.metadata["category"] for d in made]
    assert sorted({categories.count(each) for each in categories}) == [10]
    assert made[0].external_id == "81"


def test_humaneval_keeps_indentation_final_newline_and_slashes() -> None:
    made = drafts("humaneval-first40.jsonl")
    assert len(made) == 40
    assert made[0].external_id == "HumanEval/0"
    assert "\n    for " in f"\n{made[0].ground_truth}"
    assert all(d.input.endswith("\n") for d in made[:1])


OWN_GSM = b'{"question": "2 and 3?", "answer": "<<2+3=5>>5\\n#### 5"}\n'
OWN_TRIAGE = 'id,text,labels\n7,"It’s late—help",A;B'.encode()
OWN_TURNS = (
    b'{"question_id": 3, "turns": ["a", "b"]}\n'
    b'{"question_id": 4, "turns": ["c", "d"], "reference": ["x"]}'
)


def test_small_files_of_the_same_shapes() -> None:
    assert drafts_of(OWN_GSM, "own.jsonl", Take.AFTER)[0].ground_truth == "5"
    triage = drafts_of(OWN_TRIAGE, "own.csv")[0]
    assert (triage.external_id, triage.input, triage.ground_truth) == ("7", "It’s late—help", "A;B")
    turns = drafts_of(OWN_TURNS, "own.jsonl")
    assert [d.ground_truth for d in turns] == [ABSENT, ["x"]]
    assert [d.external_id for d in turns] == ["3", "4"]
