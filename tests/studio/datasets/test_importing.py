"""Files become items: the field cases of imports, by number."""

from __future__ import annotations

from typing import Any

import pytest

from evals_core.run import ABSENT
from studio.accounts.models import Project
from studio.datasets.draft import ItemDraft
from studio.datasets.importing import ImportRefused, Plan, plan_import, run_import
from studio.datasets.mapping import As, ColumnMapping, ColumnRule, Role, Take, guess_mapping
from studio.datasets.reading import FileRefused, Table, detect, read_table
from studio.datasets.save import create_dataset

ROLES = {"input": Role.INPUT, "truth": Role.GROUND_TRUTH, "meta": Role.METADATA}


def table(data: str | bytes, name: str = "") -> Table:
    """A file as it is detected and read."""
    raw = data.encode() if isinstance(data, str) else data
    return read_table(raw, detect(raw, name))


def plan(data: str | bytes, mapping: ColumnMapping | None = None, **options: Any) -> Plan:
    """What importing a file would do."""
    read = table(data)
    return plan_import(read, mapping or guess_mapping(read.columns), **options)


def rules(**roles: Role | ColumnRule) -> ColumnMapping:
    """A mapping by column."""
    made = {n: r if isinstance(r, ColumnRule) else ColumnRule(r) for n, r in roles.items()}
    return ColumnMapping(made)


def test_f50_a_byte_order_mark_is_no_part_of_the_header() -> None:
    data = b"\xef\xbb\xbfinput,expected\r\nWhat is 2+2?,4\r\n"
    assert table(data).columns == ["input", "expected"]
    made = plan(data).drafts
    assert [(d.input, d.ground_truth) for d in made] == [("What is 2+2?", "4")]
    assert detect(data).has_mark


def test_a_utf_16_file_of_a_spreadsheet_is_read() -> None:
    data = "input\texpected\né\t4\n".encode("utf-16")
    assert [(d.input, d.ground_truth) for d in plan(data).drafts] == [("é", "4")]


@pytest.mark.parametrize(
    "data", ['input;expected\n"a;b";"x, y"\n', 'input\texpected\n"a;b"\t"x, y"\n']
)
def test_f51_the_delimiter_is_detected_outside_quotes(data: str) -> None:
    made = plan(data).drafts
    assert [(d.input, d.ground_truth) for d in made] == [("a;b", "x, y")]


def test_f51_a_quoted_header_does_not_mislead_the_delimiter() -> None:
    assert table('"a;b;c;d",e\n1,2\n').columns == ["a;b;c;d", "e"]


@pytest.mark.parametrize(
    ("mapping", "asked"),
    [
        (rules(city=Role.INPUT, count=Role.IGNORE), "Rome"),
        (rules(city=Role.INPUT, count=Role.INPUT), {"city": "Rome", "count": "1"}),
        (
            rules(city=Role.INPUT, count=ColumnRule(Role.INPUT, As.JSON)),
            {"city": "Rome", "count": 1},
        ),
    ],
)
def test_f53_one_column_is_a_value_and_several_are_an_object(
    mapping: ColumnMapping, asked: object
) -> None:
    assert [d.input for d in plan("city,count\nRome,1\n", mapping).drafts] == [asked]


def test_f54_bad_rows_are_named_by_line_and_the_others_stay() -> None:
    lines = ["a,b,c", *["1,2,3"] * 5, 'q,{"answer":""},x', '"q","{""answer"": ""1""}",x', "1,2,3,4"]
    made = plan("\n".join(lines), rules(a=Role.INPUT, b=ColumnRule(Role.GROUND_TRUTH, As.JSON)))
    assert [fault.line for fault in made.faults] == [7, 9]
    assert "quote inside" in made.faults[0].reason
    assert made.faults[1].reason == "has 4 cells, the header has 3"
    assert made.drafts[-1].ground_truth == {"answer": "1"}
    assert len(made.drafts) == 6


def test_f54_a_quote_that_never_closes_costs_one_line() -> None:
    made = plan('input\n"a\nb\n')
    assert [(fault.line, "never closed" in fault.reason) for fault in made.faults] == [(2, True)]
    assert [d.input for d in made.drafts] == ["b"]


def test_a_cell_that_should_be_json_says_where_it_is_not() -> None:
    made = plan("input,meta\nq,{oops\n", rules(input=Role.INPUT, meta=ColumnRule(read_as=As.JSON)))
    assert made.faults[0].line == 2
    assert "“meta” is not JSON" in made.faults[0].reason
    assert "column 2" in made.faults[0].reason


def test_f55_an_empty_expectation_is_absent() -> None:
    data = 'input,expected\na,\nb," "\nc,""\n'
    assert [d.ground_truth for d in plan(data).drafts] == [ABSENT, " ", ABSENT]
    blank = ColumnMapping(guess_mapping(["input", "expected"]).columns, blank_is_text=True)
    assert [d.ground_truth for d in plan(data, blank).drafts] == ["", " ", ""]


def test_f56_headers_match_without_spaces_and_case_and_cells_are_kept() -> None:
    made = plan(" Input , expected output \n q ,contains: Paris\n").drafts
    assert [(d.input, d.ground_truth) for d in made] == [(" q ", "contains: Paris")]


def test_f57_a_bar_is_text_unless_it_is_chosen() -> None:
    data = 'input;tags\nq;"[""a"", ""b""]"\nq;a|b\n'
    assert [d.tags for d in plan(data).drafts] == [['["a", "b"]'], ["a|b"]]
    columns = guess_mapping(["input", "tags"]).columns
    split = ColumnMapping(columns, tag_separator="|")
    assert plan(data, split).drafts[1].tags == ["a", "b"]
    listed = rules(input=Role.INPUT, tags=ColumnRule(Role.TAGS, As.JSON))
    assert plan(data, listed).drafts[0].tags == ["a", "b"]


def test_f58_very_long_cells_and_lines_are_whole() -> None:
    long = "x" * 200_000
    assert [len(d.input) for d in plan(f'input\n{long}\n"{long}"\n').drafts] == [200_000] * 2
    line = '{"input": "' + "y" * 8_000_000 + '"}\n'
    assert [len(d.input) for d in plan(line * 2).drafts] == [8_000_000] * 2


@pytest.mark.parametrize("data", ['{"input": "a\\u0000b"}\n{"input": "c"}', "input\na\x00b\nc\n"])
def test_f59_a_nul_is_a_warning_and_the_rest_is_kept(data: str, project: Project) -> None:
    made = plan(data)
    assert len(made.warnings) == 1
    assert run_import(create_dataset(project, "d"), made, None, good_rows_only=False).added == 2


def test_f59_a_lone_surrogate_is_a_warning() -> None:
    assert len(plan('{"input": "\\ud800"}').warnings) == 1


def test_f59_wrong_bytes_are_named_by_line_with_a_choice() -> None:
    data = "input\nok\ncaf\xe9\n".encode("latin-1")
    with pytest.raises(FileRefused, match=r"Line 3 is not UTF-8\. Choose the encoding"):
        table(data)


def test_f60_only_exact_duplicates_are_skipped_and_only_when_asked() -> None:
    data = "input,expected\nq,A\nq,B\nq,A\n"
    assert len(plan(data).drafts) == 3
    made = plan(data, skip_duplicates=True)
    assert [d.ground_truth for d in made.drafts] == ["A", "B"]
    assert made.skipped == 1


def test_f61_falsy_and_odd_ids() -> None:
    ids = [0, "0", "00", "", "a/b", "é", "x" * 200, "y" * 201]
    lines = [f'{{"id": {value!r}, "input": "q"}}'.replace("'", '"') for value in ids]
    made = plan("\n".join(lines))
    assert [d.external_id for d in made.drafts] == ["0", "00", "", "a/b", "é", "x" * 200]
    assert [(f.line, f.reason) for f in made.faults] == [
        (2, "has the external id “0” of line 1"),
        (8, "“id” is longer than 200 characters"),
    ]


def test_the_ground_truth_can_be_what_follows_a_marker() -> None:
    mapping = ColumnMapping(rules(q=Role.INPUT, a=Role.GROUND_TRUTH).columns, Take.AFTER, "####")
    data = '{"q": "x", "a": "so #### 1\\n#### 18"}\n{"q": "y", "a": "none"}'
    made = plan(data, mapping)
    assert [d.ground_truth for d in made.drafts] == ["18"]
    assert made.faults[0].reason == "“a” does not contain “####”"


def test_a_line_that_is_no_json_says_where() -> None:
    made = plan('{"input": 1}\n\n{"input": NaN}\n{"input": }\n[1]\n')
    assert [fault.line for fault in made.faults] == [3, 4, 5]
    assert "at column" in made.faults[1].reason


def test_json_deeper_than_a_hundred_levels_is_refused_by_line() -> None:
    made = plan('{"input": ' + "[" * 5000 + "]" * 5000 + '}\n{"input": 1}')
    assert [(fault.line, "deeper" in fault.reason) for fault in made.faults] == [(1, True)]
    assert len(made.drafts) == 1


def test_a_missing_key_is_absent_and_null_is_null() -> None:
    made = plan('{"input": 1}\n{"input": 2, "expected": null}').drafts
    assert [d.ground_truth for d in made] == [ABSENT, None]


def test_a_json_array_is_read_with_its_types() -> None:
    value = {"input": {"a": [1, -0.5, True]}, "metadata": '{"k": 1}'}
    made = plan(f"[{ItemDraft(value).content()[1:].split(', []')[0]}]").drafts
    assert made[0].input == value["input"]
    assert made[0].metadata == {"metadata": '{"k": 1}'}


@pytest.mark.parametrize("data", ["", "input,expected\n", "[]", "[1", '{"a": 1}'])
def test_a_file_without_rows_is_refused_in_words(data: str) -> None:
    with pytest.raises((FileRefused, ImportRefused)):
        plan(data, rules(input=Role.INPUT))


def test_all_or_none_imports_none(project: Project) -> None:
    dataset, made = create_dataset(project, "d"), plan("input\na\nb,c\n")
    with pytest.raises(ImportRefused, match=r"1 row cannot be imported\. Line 3 has 2 cells"):
        run_import(dataset, made, None, good_rows_only=False)
    assert dataset.version_number == 0
    assert run_import(dataset, made, None, good_rows_only=True).added == 1


def test_the_same_file_again_changes_nothing(project: Project) -> None:
    dataset, data = create_dataset(project, "d"), "id,input\n1,a\n2,b\n"
    run_import(dataset, plan(data), None, good_rows_only=False)
    again = run_import(dataset, plan(data), None, good_rows_only=False)
    assert (again.added, again.changed, again.same, again.version.number) == (0, 0, 2, 1)
    other = run_import(dataset, plan("id,input\n1,A\n3,c\n"), None, good_rows_only=False)
    assert (other.added, other.changed, other.version.item_count) == (1, 1, 3)


def test_line_breaks_inside_cells_are_kept_and_counted() -> None:
    made = plan('input\r\n"a\r\nb\nc"\r\nd\r\n').drafts
    assert [(d.input, d.source["line"]) for d in made] == [("a\r\nb\nc", 2), ("d", 5)]
