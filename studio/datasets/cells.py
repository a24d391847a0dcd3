"""CSV text as records with line numbers, a bad record costing only itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
QUOTED = re.compile(r'"[^"]*+(?:""[^"]*+)*+"')
LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Record:
    """The cells of one record, or why it cannot be read."""

    line: int
    cells: list[str]
    fault: str = ""


def delimiter_of(text: str) -> str:
    """The delimiter that the header uses most outside quotes."""
    header = LINE_END.split(QUOTED.sub("", text[:65_536].lstrip("\r\n")), maxsplit=1)[0]
    counts = {each: header.count(each) for each in DELIMITERS}
    best = max(counts, key=lambda each: counts[each])
    return best if counts[best] else ","


def records(text: str, delimiter: str) -> Iterator[Record]:
    """Every record of a CSV text that is not blank."""
    cell = re.compile(
        r'"(?P<quoted>[^"]*+(?:""[^"]*+)*+)"(?P<rest>[^{0}\r\n]*)|(?P<plain>[^{0}\r\n]*)'.format(
            re.escape(delimiter)
        )
    )
    at, line = 0, 1
    while at < len(text):
        record, end = one_record(text, at, line, cell, delimiter)
        if record.fault or any(record.cells):
            yield record
        line += lines_in(text, at, end)
        at = end


def one_record(
    text: str, start: int, line: int, cell: re.Pattern[str], delimiter: str
) -> tuple[Record, int]:
    """The record that begins at `start`, and where the next one does."""
    cells: list[str] = []
    at = start
    while True:
        found = cell.match(text, at)
        if found is None:  # cannot be: a plain cell may be empty
            return Record(line, [], "cannot be read"), len(text)
        fault = fault_in(found, len(cells) + 1)
        if fault:
            return Record(line, cells, fault), after_line(text, start)
        quoted = found["quoted"]
        cells.append(found["plain"] if quoted is None else quoted.replace('""', '"'))
        at = found.end()
        if text[at : at + 1] != delimiter:
            return Record(line, cells), after_line(text, at)
        at += 1


def fault_in(found: re.Match[str], place: int) -> str:
    """What is wrong with the quotes of one cell."""
    plain = found["plain"]
    if plain is None:
        return f"cell {place} has text after its closing quote" if found["rest"] else ""
    if plain.startswith('"'):
        return f"the quote that opens cell {place} is never closed"
    if '"' in plain:
        return f'cell {place} has a quote inside, so it must be quoted: "…""…"'
    return ""


def after_line(text: str, at: int) -> int:
    """Where the line after position `at` begins."""
    found = LINE_END.search(text, at)
    return found.end() if found else len(text)


def lines_in(text: str, start: int, end: int) -> int:
    """How many line ends lie between two places."""
    returns = text.count("\r", start, end) - text.count("\r\n", start, end)
    return text.count("\n", start, end) + returns
