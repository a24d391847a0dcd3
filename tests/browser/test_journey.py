"""The main job in a real browser: from a file to a scored experiment, and back into a dataset."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import Studio
from tests.browser.pages import finished, get

FILE = Path(__file__).parents[1] / "data" / "word_problems.jsonl"
DATASET = "Problems of the journey"
TRIALS = 10
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
    import_file(page, studio)
    pk = launch(page, studio)
    watch_it_run(page)
    agree_on_verdict(page, finished(context, studio, pk), all_trials(context, studio, pk))
    open_trial_and_return(page)
    open_score_and_move(page)
    save_as_item(page, context, studio)


def import_file(page: Page, studio: Studio) -> None:
    """Through the wizard, with the ground truth taken from after the marker."""
    page.goto(studio.page("datasets/import/"))
    page.get_by_label("Name of the new dataset").fill(DATASET)
    page.get_by_label("File").set_input_files(FILE)
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("“question” becomes").select_option("Input")
    page.get_by_label("“answer” becomes").select_option("Ground truth")
    page.get_by_label("Ground truth is").select_option("The text after a marker")
    page.get_by_role("button", name="Update the preview").click()
    expect(page.locator("article").first).to_contain_text("9")
    expect(page.locator("article").first).not_to_contain_text("####")
    page.get_by_role("button", name="Import 30 items").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Imported into {DATASET}")


def launch(page: Page, studio: Studio) -> int:
    """From the agent's Evaluate tab, with the checks that are attached to it."""
    page.goto(studio.page("agents/arithmetic/"))
    page.get_by_role("link", name="Evaluate", exact=True).last.click()
    page.get_by_role("link", name="Run experiment").click()
    page.get_by_label("Dataset", exact=True).select_option(label=option_with(page, DATASET))
    page.get_by_label("Trials").fill(str(TRIALS))
    expect(page.locator("#plan")).to_contain_text(f"{30 * TRIALS} agent calls")
    page.get_by_role("button", name="Run experiment").click()
    page.wait_for_url(re.compile(r"/experiments/\d+/$"))
    return int(page.url.rstrip("/").rsplit("/", 1)[1])


def option_with(page: Page, words: str) -> str:
    """The whole label of the choice that holds these words."""
    labels = page.locator("#id_dataset option").all_inner_texts()
    return next(label for label in labels if words in label)


def watch_it_run(page: Page) -> None:
    """The progress text changes in one and the same document until there is a verdict."""
    page.evaluate(WATCH)
    expect(page.locator("#verdict-title")).to_be_visible(timeout=SLOW_MS)
    assert page.evaluate("window.sameDocument"), "the page was loaded again"
    seen = page.evaluate("window.seen")
    assert len(seen) >= 2, f"progress was not live: {seen}"
    assert f"{30 * TRIALS}" in seen[-1]


def all_trials(context: BrowserContext, studio: Studio, pk: int) -> Iterator[Any]:
    """Every trial of an experiment, page after page."""
    query: str | None = "?limit=100"
    while query:
        page = get(context, studio, f"experiments/{pk}/trials/{query}")
        yield from page["results"]
        query = page["next"]


def agree_on_verdict(page: Page, experiment: Any, trials: Iterator[Any]) -> None:
    """The verdict on the page is the one that counting the scores by hand gives."""
    rows = list(trials)
    assert len({row["id"] for row in rows}) == experiment["total"] == 30 * TRIALS
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
