"""Read CSV, JSON Lines and JSON files as rows with line numbers."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from studio.datasets.cells import delimiter_of, records
from studio.web.text import TooDeep, check_depth

ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "windows-1252": "Windows-1252 (Western)",
    "iso-8859-1": "Latin-1 (ISO 8859-1)",
}
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
MAX_COLUMNS = 300
KINDS = {"csv": "CSV", "jsonl": "JSON Lines", "json": "JSON array"}


class FileRefused(ValueError):
    """The file cannot be read as a whole; the message says why and where."""


@dataclass(frozen=True, slots=True)
class Format:
    """How the bytes of a file are to be read."""

    kind: str
    encoding: str = "utf-8"
    delimiter: str = ","
    has_mark: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One row by column name (a missing name: absent), or why it cannot be read."""

    line: int
    values: Mapping[str, Any]
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A file that was read: its columns and its rows, good and bad."""

    columns: list[str]
    rows: list[Row]


def detect(data: bytes, name: str = "") -> Format:
    """How this file most likely wants to be read."""
    mark = next((enc for bom, enc in MARKS if data.startswith(bom)), None)
    encoding = mark or "utf-8"
    text = data[:262_144].decode(encoding, "replace").lstrip("\ufeff")
    start, ending = text.lstrip()[:1], name.lower().rsplit(".", 1)[-1]
    if start == "[" and ending != "csv":
        kind = "json"
    elif start == "{" or ending in ("jsonl", "ndjson"):
        kind = "jsonl"
    else:
        kind = "csv"
    return Format(kind, encoding, delimiter_of(text), mark is not None)


def decoded(data: bytes, encoding: str) -> str:
    """The text of a file; raises `FileRefused` that names the line of the first wrong byte."""
    if encoding not in ENCODINGS:
        raise FileRefused("This encoding is not known.")
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        words = f"Line {line} is not {ENCODINGS[encoding]}. Choose the encoding of the file."
        raise FileRefused(words) from error


def read_table(data: bytes, form: Format) -> Table:
    """All rows of a file; a bad row is kept with its reason."""
    text = decoded(data, form.encoding)
    table = csv_table(text, form.delimiter) if form.kind == "csv" else json_table(text, form.kind)
    if len(table.columns) > MAX_COLUMNS:
        raise FileRefused(f"The file has more than {MAX_COLUMNS} columns.")
    return table


def json_table(text: str, kind: str) -> Table:
    """JSON Lines or an array, with every key that any row has as a column."""
    rows = list(json_rows(text) if kind == "json" else line_rows(text))
    if not rows:
        raise FileRefused("The file holds no rows.")
    return Table(list(dict.fromkeys(key for row in rows for key in row.values)), rows)


def csv_table(text: str, delimiter: str) -> Table:
    """A CSV text with its first record as the names of the columns."""
    found = records(text, delimiter)
    header = next(found, None)
    if header is None:
        raise FileRefused("The file is empty.")
    if header.fault:
        raise FileRefused(f"The header on line {header.line} cannot be read: {header.fault}.")
    columns = column_names(header.cells)
    rows = [csv_row(columns, each.line, each.cells, each.fault) for each in found]
    if not rows:
        raise FileRefused("The file has a header and no rows.")
    return Table(columns, rows)


def csv_row(columns: list[str], line: int, cells: list[str], fault: str) -> Row:
    """One record by the names of its columns."""
    if fault:
        return Row(line, {}, fault)
    if len(cells) != len(columns):
        return Row(line, {}, f"has {cells_of(cells)}, the header has {len(columns)}")
    return Row(line, dict(zip(columns, cells, strict=True)))


def cells_of(cells: list[str]) -> str:
    """How many cells there are, in words."""
    return f"{len(cells)} cell{'s' * (len(cells) != 1)}"


def column_names(cells: list[str]) -> list[str]:
    """Trimmed names, an empty one by its place, a repeated one with a number."""
    names: list[str] = []
    for place, cell in enumerate(cells, start=1):
        base = name = cell.strip() or f"column {place}"
        again = 2
        while name in names:
            name, again = f"{base} ({again})", again + 1
        names.append(name)
    return names


def line_rows(text: str) -> Iterator[Row]:
    """JSON Lines: one object on each line that is not blank."""
    for line, content in enumerate(text.split("\n"), start=1):
        if content.strip():
            yield object_row(line, content)


def object_row(line: int, content: str) -> Row:
    """One line as an object."""
    try:
        value = strict_json(content)
    except ValueError as error:
        return Row(line, {}, f"is not JSON: {error}")
    if not isinstance(value, dict):
        return Row(line, {}, "is not a JSON object, such as {“input”: …}")
    return Row(line, value)


def json_rows(text: str) -> Iterator[Row]:
    """A JSON array of objects; a row is known by its place."""
    try:
        values = strict_json(text)
    except ValueError as error:
        raise FileRefused(f"The file is not JSON: {error}.") from error
    if not isinstance(values, list):
        raise FileRefused("The file is not a JSON array of objects.")
    for place, value in enumerate(values, start=1):
        if isinstance(value, dict):
            yield Row(place, value)
        else:
            yield Row(place, {}, "is not a JSON object")


def strict_json(text: str) -> Any:
    """The value of JSON text; raises `ValueError` that says what is wrong and where."""
    if text.count("[") + text.count("{") > 100:
        try:
            check_depth(text)
        except TooDeep as error:
            raise ValueError(str(error)) from error
    try:
        return json.loads(text, parse_constant=refuse_constant)
    except json.JSONDecodeError as error:
        place = f"column {error.colno}"
        place = place if error.lineno == 1 else f"line {error.lineno}, {place}"
        raise ValueError(f"{error.msg[:1].lower()}{error.msg[1:]} at {place}") from error


def refuse_constant(name: str) -> Any:
    """NaN and infinities are no JSON."""
    raise ValueError(f"{name} is not JSON")
