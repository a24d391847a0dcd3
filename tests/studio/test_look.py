"""What every page is made of: number formats, components, and texts that can do nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser

import pytest
from django import forms
from django.template import Context, Template
from django.template.loader import render_to_string
from django.utils import timezone

from studio.web.templatetags.studio_charts import histogram_bars, spark_line
from studio.web.templatetags.studio_format import ago, duration, pretty_json, score, short_id
from studio.web.templatetags.studio_json import readable
from studio.web.templatetags.studio_markdown import markdown

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<a href=\"javascript:alert(1)\" hx-get='/x'>y</a>",
    "[y](javascript:alert(1))",
    "[y](data:text/html;base64,PHNjcmlwdD4=)",
    '<iframe srcdoc="<script>alert(1)</script>">',
    "</script><script>alert(1)</script>",
    '<div data-hx-get="/x" hx-trigger="load">y</div>',
    "![y](https://elsewhere.example/p.png)",
)


class Acting(HTMLParser):
    """Collects what could run, load or send something."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag that acts by itself, and attributes that make any tag act."""
        if tag in {"script", "img", "iframe", "object", "embed", "style", "form"}:
            self.found.append(tag)
        for name, value in attrs:
            schemes = ("javascript:", "data:")
            bad_link = name in {"href", "src"} and (value or "").startswith(schemes)
            if bad_link or name.startswith(("on", "data-hx", "hx-get", "hx-trigger", "srcdoc")):
                self.found.append(f"{tag} {name}")


def acting(html: str) -> list[str]:
    """Say what in a piece of HTML could act."""
    parser = Acting()
    parser.feed(html)
    return parser.found


def drawn(source: str, **context: object) -> str:
    """Render a template written for a test."""
    return Template(source).render(Context(context))


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.824, "0.82"),
        (1.0, "1"),
        (0, "0"),
        (None, ""),
        (0.0004, "0.0004"),
        (-0.0, "0"),
        (12, "12"),
    ],
)
def test_it_writes_scores_short(value: float | None, written: str) -> None:
    assert score(value) == written


@pytest.mark.parametrize(
    ("ms", "written"),
    [(0.25, "0.25 ms"), (120, "120 ms"), (1234, "1.2 s"), (61_000, "1 min 1 s"), (None, "")],
)
def test_it_writes_durations_in_the_readers_unit(ms: float | None, written: str) -> None:
    assert duration(ms).replace("\u2009", " ") == written


def test_it_says_how_long_ago() -> None:
    assert ago(timezone.now()) == "now"
    assert ago(timezone.now() - timedelta(minutes=3)).replace("\u2009", " ") == "3 min ago"
    assert ago(timezone.now() + timedelta(hours=2, minutes=1)).replace("\u2009", " ") == "in 2 h"


def test_a_moment_is_written_for_machines_and_people() -> None:
    html = drawn(
        "{% cotton time :value='at' absolute /%}", at=datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
    )
    assert 'datetime="2026-01-02T03:04:00+00:00"' in html
    assert "data-absolute>2026-01-02 03:04<" in html
    assert drawn("{% moment at %}", at=None) == ""


def test_it_shortens_only_long_ids() -> None:
    assert short_id("9f3a2b77c1d0") == "9f3a2b77"
    assert short_id("42") == "42"


def test_it_writes_any_json_even_huge_numbers_and_half_characters() -> None:
    assert str(10**30) in pretty_json({"n": 10**30})
    assert pretty_json(["\ud800"]).encode()


def test_a_preview_never_cuts_a_character() -> None:
    assert drawn("{{ v|preview:3 }}", v="🙂🙂🙂🙂") == "🙂🙂…"


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_keeps_nothing_that_acts(text: str) -> None:
    assert acting(markdown(text)) == []


@pytest.mark.parametrize("text", HOSTILE)
def test_json_is_written_as_text(text: str) -> None:
    assert acting(readable({text: [text, {"deep": text}]})) == []


@pytest.mark.parametrize("text", HOSTILE)
def test_components_write_texts_as_texts(text: str) -> None:
    html = drawn(
        '{% cotton page-header title="{{ t }}" :subtitle="t" /%}'
        '{% cotton panel :title="t" /%}{% cotton copy-id :value="t" /%}'
        '{% cotton conversation :messages="m" :raw="m" /%}'
        '{% cotton score-cell outcome="scored" :value="1" :label="t" :reason="t" /%}',
        t=text,
        m=[{"role": "user", "text": text, "tool_calls": [{"name": text, "error": text}]}],
    )
    assert acting(html) == []


def test_an_image_in_markdown_is_a_link() -> None:
    html = markdown("![plan](https://elsewhere.example/p.png)")
    assert 'href="https://elsewhere.example/p.png"' in html
    assert "plan</a>" in html


def test_a_score_without_a_number_is_a_word_never_a_bar() -> None:
    for outcome, word in (("not_scorable", "not scorable"), ("error", "error"), ("", "pending")):
        html = drawn('{% cotton score-cell :outcome="o" /%}', o=outcome)
        assert word in html
        assert "<rect" not in html


def test_a_score_says_in_words_whether_it_passed() -> None:
    source = '{% cotton score-cell outcome="scored" :value="0.5" :passed="p" /%}'
    assert 'aria-label="passed"' in drawn(source, p=True)
    assert 'aria-label="below the threshold"' in drawn(source, p=False)
    assert "aria-label" not in drawn(source, p=None)


def test_a_missing_value_is_a_gap_in_the_sparkline() -> None:
    line = spark_line([0.1, 0.2, None, 0.4, 0.5])
    assert len(line.pieces) == 2
    assert line.words == "last 0.5"


def test_a_bin_with_one_score_among_many_is_still_seen() -> None:
    bins = [
        {"low": 0, "high": 0.5, "count": 1, "href": "?a"},
        {"low": 0.5, "high": 1, "count": 5000, "href": "?b"},
    ]
    small, big = histogram_bars(bins)  # type: ignore[arg-type] # written as plain dicts
    assert small.height == 2
    assert big.height == 56
    assert small.title == "0 to 0.5: 1"


def test_a_field_ties_its_help_and_errors_to_its_input() -> None:
    class Named(forms.Form):
        name = forms.CharField(help_text="Unique.")

    html = drawn('{% cotton form-field :field="f" /%}', f=Named({})["name"])
    assert 'aria-invalid="true"' in html
    assert 'id="id_name_helptext"' in html
    assert 'id="id_name_error"' in html


def test_the_error_pages_work_without_any_context() -> None:
    for name in ("400", "403", "404", "500", "403_csrf"):
        html = render_to_string(f"{name}.html")
        assert "<h1>" in html
        assert "Go home" in html


def test_no_template_has_anything_inline() -> None:
    html = render_to_string("404.html")
    assert " style=" not in html
    assert "<style" not in html
    assert html.count("<script") == html.count("<script src=") + html.count(
        '<script type="module" src='
    )
