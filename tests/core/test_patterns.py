"""Patterns: what they mean, what is refused, and that none can hang."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

import pytest

from evals_core.checks import CheckArgumentError, build, matches
from evals_core.patterns import PatternError, compile_pattern

ALMOST = "a" * 50_000 + "!"
NESTED = "(" * 26 + "a*" + ")*" * 26 + "b"


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"^(a+)+$", ALMOST),
        (r"(x+x+)+y", "x" * 50_000),
        (r"^(\w+\s?)*$", "word " * 10_000 + "!"),
        (r"^(a|aa)+$", ALMOST),
        (NESTED, ALMOST),
    ],
)
def test_it_ends_within_fifty_milliseconds_on_text_that_almost_matches(
    pattern: str, text: str
) -> None:
    compiled = compile_pattern(pattern)
    started = perf_counter()
    assert not compiled.found_in(text)
    assert perf_counter() - started < 0.05


@pytest.mark.parametrize(
    ("pattern", "word"),
    [
        ("(?=a)", "look-ahead"),
        ("a(?!b)", "look-ahead"),
        ("(?<=a)b", "look-behind"),
        ("/(?<!not )good/i", "look-behind"),
        (r"(\w+)\s\1", "back-reference"),
        (r"(?P<x>a)(?P=x)", "back-reference"),
        (r"(?<x>a)\k<x>", "back-reference"),
        ("/a/q", "unknown flag q"),
        ("(", "not a valid pattern"),
        ("[a", "missing ]"),
        ("a\\", "ends in"),
        ("((a{1,100}){1,100}){1,100}", "not a valid pattern"),
    ],
)
def test_it_refuses_what_the_engine_lacks_when_the_check_is_made(pattern: str, word: str) -> None:
    with pytest.raises(CheckArgumentError, match=word.replace("]", r"\]")):
        build("check-matches", {"pattern": pattern})


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"\d+", "The answer is 42", True),
        ("a$", "a\n", False),
        ("/a$/m", "a\nb", True),
        (r"\s", "\ufeff", True),
        (r"\s", "\x85", False),
        (r"[\s\d]{2}", "\u00a07", True),
        (r"[^\S]", "\u3000", True),
        (r"[^\S]", "x", False),
        (r"\w", "é", False),
        ("/^.$/", "😀", False),
        ("/^..$/", "😀", True),
        ("/^.$/u", "😀", True),
        ("^.$", "😀", True),
        ("/😀/", "say 😀", True),
        (r"/\ud83d\ude00/", "say 😀", True),
        (r"/\u{1F600}/u", "😀", True),
        (r"\x41\u0042", "AB", True),
        ("/ſ/i", "s", False),
        ("/s/i", "ſ", False),
        ("/É/i", "é", True),
        (".", "\u2028", False),
        ("/./s", "\n", True),
        ("/[^]/", "\n", True),
        ("/[]/", "a", False),
        ("x{3,}", "xxx", True),
        ("a{,3}", "a{,3}", True),
        (r"(?<year>\d{4})", "2026", True),
        (r"(?i:yes)", "YES", True),
        (r"\p{L}+", "ж", True),
        (r"\p{Script=Greek}", "α", True),
        (r"a\/b", "a/b", True),
        ("\ud800", "x", None),
    ],
)
def test_it_means_what_it_means_in_javascript(pattern: str, text: str, found: bool | None) -> None:
    if found is None:
        with pytest.raises(PatternError):
            compile_pattern(pattern)
    else:
        assert compile_pattern(pattern).found_in(text) is found


def test_it_takes_text_with_half_characters() -> None:
    assert compile_pattern("a.b").found_in("a\ud800b")
    assert compile_pattern("/a.b/").found_in("a\ud800b")


def test_it_is_anchored_as_a_whole_when_exact() -> None:
    assert not compile_pattern("YES|NO", exact=True).found_in("YES please")
    assert not compile_pattern("/hello/m", exact=True).found_in("x\nhello\ny")
    assert compile_pattern("/yes|no/i", exact=True).found_in("NO")


def test_it_has_no_memory_in_eight_threads() -> None:
    pattern = compile_pattern(r"/\d/g")
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(pattern.found_in, ["1", "2", "3", "4"] * 100))


def test_it_takes_a_compiled_python_pattern() -> None:
    import re

    assert matches(re.compile("yes", re.IGNORECASE)).spec["arguments"]["pattern"] == "/yes/iu"  # type: ignore[index]
