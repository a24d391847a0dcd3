"""The main job in a real browser: from a file to a scored experiment, and back into a dataset."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import Studio
from tests.browser.pages import finished, get

ROOT = Path(__file__).parents[2]
GSM8K = ROOT.parent / "shared" / "corpus" / "gsm8k-test-first60.jsonl"
SLOW_MS = 60_000
WATCH = """() => {
  window.sameDocument = true;
  window.seen = [];
  const note = () => {
    const text = document.querySelector("#progress .progress")?.innerText ?? "";
    if (text && text !== window.seen.at(-1)) window.seen.push(text);
  };
  note();
  new MutationObserver(note).observe(document.body, { childList: true, subtree: true });
}"""


@dataclass(frozen=True)
class Problems:
    """A file of questions and worked answers, and how often each is to be answered."""

    file: Path
    dataset: str
    items: int
    trials: int
    first_truth: str


OWN = Problems(ROOT / "tests/data/word_problems.jsonl", "Problems of the journey", 30, 10, "9")


def test_it_lets_the_owner_in_once_by_the_printed_link(browser: Browser, studio: Studio) -> None:
    window = browser.new_context()
    tab = window.new_page()
    tab.goto(studio.link)
    tab.get_by_role("button", name="Sign in").click()
    expect(tab).not_to_have_url(re.compile("/p/demo/"))
    expect(tab.get_by_role("heading", level=1)).to_be_visible()
    window.close()
    assert studio.cookies, "the first use of the link signed nobody in"


def test_it_leads_from_a_file_to_a_score_and_back_into_a_dataset(
    context: BrowserContext, page: Page, studio: Studio
) -> None:
    total = run_through(page, context, studio, OWN)
    assert total == 300
    open_trial_and_return(page)
    open_score_and_move(page)
    save_as_item(page, context, studio)


def test_it_runs_a_real_file_of_word_problems(
    context: BrowserContext, page: Page, studio: Studio
) -> None:
    if not GSM8K.exists():
        pytest.skip("needs the corpus beside the project")
    assert run_through(page, context, studio, Problems(GSM8K, "GSM8K", 60, 3, "18")) == 180


def run_through(page: Page, context: BrowserContext, studio: Studio, of: Problems) -> int:
    """Import, launch, watch, and count what came of it; returns the number of trials."""
    import_file(page, studio, of)
    pk = launch(page, studio, of)
    watch_it_run(page, of)
    rows = list(all_trials(context, studio, pk))
    experiment = finished(context, studio, pk)
    assert len({row["id"] for row in rows}) == experiment["total"] == of.items * of.trials
    agree_on_verdict(page, experiment, rows)
    return len(rows)


def import_file(page: Page, studio: Studio, of: Problems) -> None:
    """Through the wizard, with the ground truth taken from after the marker."""
    page.goto(studio.page("datasets/import/"))
    page.get_by_label("Name of the new dataset").fill(of.dataset)
    page.get_by_label("File").set_input_files(of.file)
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("“question” becomes").select_option("Input")
    page.get_by_label("“answer” becomes").select_option("Ground truth")
    page.get_by_label("Ground truth is").select_option("The text after a marker")
    page.get_by_role("button", name="Update the preview").click()
    expect(page.locator("article").first).to_contain_text(of.first_truth)
    expect(page.locator("article").first).not_to_contain_text("####")
    page.get_by_role("button", name=f"Import {of.items} items").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Imported into {of.dataset}")


def launch(page: Page, studio: Studio, of: Problems) -> int:
    """From the agent's Evaluate tab, with the checks that are attached to it."""
    page.goto(studio.page("agents/arithmetic/"))
    page.get_by_role("link", name="Evaluate", exact=True).last.click()
    page.get_by_role("link", name="Run experiment").click()
    page.get_by_label("Dataset", exact=True).select_option(label=option_with(page, of.dataset))
    page.get_by_label("Trials").fill(str(of.trials))
    expect(page.locator("#plan")).to_contain_text(f"{of.items * of.trials} agent calls")
    page.get_by_role("button", name="Run experiment").click()
    page.wait_for_url(re.compile(r"/experiments/\d+/$"))
    return int(page.url.rstrip("/").rsplit("/", 1)[1])


def option_with(page: Page, words: str) -> str:
    """The whole label of the choice that holds these words."""
    labels = page.locator("#id_dataset option").all_inner_texts()
    return next(label for label in labels if words in label)


def watch_it_run(page: Page, of: Problems) -> None:
    """The progress text changes in one and the same document until there is a verdict."""
    page.evaluate(WATCH)
    expect(page.locator("#verdict-title")).to_be_visible(timeout=SLOW_MS)
    assert page.evaluate("window.sameDocument"), "the page was loaded again"
    seen = page.evaluate("window.seen")
    assert len(seen) >= 2, f"progress was not live: {seen}"
    assert f"{of.items * of.trials}" in seen[-1]


def all_trials(context: BrowserContext, studio: Studio, pk: int) -> Iterator[Any]:
    """Every trial of an experiment, page after page."""
    query: str | None = "?limit=100"
    while query:
        page = get(context, studio, f"experiments/{pk}/trials/{query}")
        yield from page["results"]
        query = page["next"]


def agree_on_verdict(page: Page, experiment: Any, rows: list[Any]) -> None:
    """The verdict on the page is the one that counting the scores by hand gives."""
    verdict = "passed"
    for asked in experiment["scorers"]:
        cells = [c for row in rows for c in row["scores"] if c["scorer"] == asked["scorer"]]
        values = [cell["value"] for cell in cells if cell["outcome"] == "scored"]
        mean = sum(values) / len(values)
        assert asked["scored"] == len(values)
        assert abs(asked["mean"] - mean) < 1e-9
        if asked["gate"] and (mean != 1 or len(values) < len(rows)):
            verdict = "failed"
        elif asked["min"] is not None and mean < asked["min"] and verdict == "passed":
            verdict = "scored"
    assert experiment["verdict"] == verdict
    expect(page.locator("#verdict-title")).to_contain_text(verdict)


def open_trial_and_return(page: Page) -> None:
    """A trial opens beside the list; Esc closes it and gives the focus back to its row."""
    page.reload()
    first = page.locator("#trials [data-open]").first
    first.click()
    expect(page.locator("#panel")).to_contain_text("Answer beside ground truth")
    page.keyboard.press("Escape")
    expect(page.locator("#panel > *")).to_have_count(0)
    expect(first).to_be_focused()


def open_score_and_move(page: Page) -> None:
    """From the mean to its scores; j and k move, Esc returns to the row that was open."""
    page.get_by_role("link", name="Reaches the right number").first.click()
    page.locator("[data-row] [data-open]").nth(1).click()
    expect(page.locator("#panel")).to_contain_text("Reason")
    first = page.url
    page.keyboard.press("j")
    expect(page).not_to_have_url(first)
    second = page.url
    page.keyboard.press("k")
    expect(page).to_have_url(first)
    page.keyboard.press("j")
    expect(page).to_have_url(second)
    page.keyboard.press("Escape")
    expect(page.locator("#panel > *")).to_have_count(0)
    expect(page.locator("[data-row] [data-open]").nth(2)).to_be_focused()


def save_as_item(page: Page, context: BrowserContext, studio: Studio) -> None:
    """A score becomes an item of a new dataset, ready to be run again."""
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Save as dataset item").click()
    page.get_by_label("Name of the new dataset").fill("Worth another look")
    question = page.get_by_label("Input optional", exact=True).input_value()
    page.get_by_role("button", name="Save as dataset item").click()
    expect(page.locator(".toast").first).to_be_visible()
    page.goto(studio.page("datasets/worth-another-look/"))
    page.locator("#items [data-open]").first.click()
    expect(page.locator("#panel")).to_contain_text(question[:60])
    items = get(context, studio, "datasets/worth-another-look/items/")["results"]
    assert [item["input"] for item in items] == [question]
