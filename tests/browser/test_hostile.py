"""Hostile text in every field that is shown: it stays text, and nothing is asked for its sake."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page, Request

from tests.browser.conftest import Studio
from tests.browser.pages import every_page, finished, get, post

TEXTS = (Path(__file__).parents[1] / "data" / "hostile_html.txt").read_text().splitlines()
LIVE = ["script, style, iframe, object, embed, base, meta[http-equiv]", "[hx-get*=hostile]"]


@dataclass
class Watch:
    """What a page did that no text may make it do."""

    address: str
    happened: list[str] = field(default_factory=list)

    def follow(self, page: Page) -> None:
        """Note dialogs, errors, policy reports and requests of a page."""
        page.on("dialog", self.dialog)
        page.on("console", self.console)
        page.on("pageerror", lambda error: self.happened.append(f"error: {error}"))
        page.on("request", self.request)

    def dialog(self, dialog: Dialog) -> None:
        """A dialog was opened."""
        self.happened.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def console(self, message: ConsoleMessage) -> None:
        """An error in the console; a refusal of the policy is one."""
        if message.type == "error":
            self.happened.append(f"console: {message.text}")

    def request(self, request: Request) -> None:
        """A request to another place, or one that content asked for."""
        inside = request.url.startswith((self.address + "/", "data:image/"))
        if not inside or "hostile-htmx" in request.url:
            self.happened.append(f"request: {request.url}")


@dataclass(frozen=True)
class Hostile:
    """Where the hostile texts went."""

    slug: str
    scorer: str
    experiment: int
    item: str
    trial: int
    score: int
    trace: str


@pytest.fixture(scope="module")
def hostile(browser: Browser, studio: Studio) -> Iterator[Hostile]:
    """The texts as words of a dataset, its items, answers, scorer, experiment and note."""
    window = browser.new_context()
    window.add_cookies(studio.cookies)
    yield fill(window, studio)
    window.close()


def fill(window: BrowserContext, studio: Studio) -> Hostile:
    """Store and run them."""
    every = " ".join(TEXTS)
    tags = [text[:40] for text in TEXTS[:8]]
    words = {"name": TEXTS[7], "description": every[:900], "tags": tags}
    slug = post(window, studio, "datasets/", words)["slug"]
    items = [
        {"input": text, "ground_truth": text, "tags": tags[:2], "metadata": {text: [text]},
         "request_context": {text: text}, "external_id": f"{place}{text}"[:120]}
        for place, text in enumerate(TEXTS)
    ]  # fmt: skip
    post(window, studio, f"datasets/{slug}/items/", {"items": items, "note": TEXTS[0]})
    check = {"kind": "check-excludes", "arguments": {"expected": TEXTS[0]}, "name": TEXTS[10]}
    scorer = post(window, studio, "scorers/", check)["slug"]
    plan = {"agent": "echo", "dataset": slug, "name": TEXTS[12], "note": every[:5000],
            "scorers": [{"scorer": scorer, "gate": True}]}  # fmt: skip
    pk = post(window, studio, "experiments/", plan)["id"]
    finished(window, studio, pk)
    trial = get(window, studio, f"experiments/{pk}/trials/")["results"][0]
    score = trial["scores"][0]["score_id"]
    return Hostile(slug, scorer, pk, trial["item_id"], trial["id"], score, trial["trace_id"])


def paths(hostile: Hostile) -> list[str]:
    """The pages that show these texts themselves."""
    one, dataset = f"experiments/{hostile.experiment}", f"datasets/{hostile.slug}"
    scorer, trial = f"scorers/{hostile.scorer}", f"{one}/trials/{hostile.trial}"
    score = f"{scorer}/scores/{hostile.score}"
    return [
        "", "experiments/", f"{one}/", f"{trial}/", f"{trial}/save/", "datasets/", f"{dataset}/",
        f"{dataset}/edit/", f"{dataset}/versions/", f"{dataset}/items/{hostile.item}/",
        f"{dataset}/items/{hostile.item}/edit/", "scorers/", f"{scorer}/", f"{scorer}/edit/",
        f"{score}/", f"{score}/save/", f"traces/{hostile.trace}/", "traces/",
        f"experiments/new/?agent=echo&dataset={hostile.slug}", "experiments/agents/echo/",
        "experiments/agents/echo/?section=datasets", "experiments/agents/echo/?section=scorers",
    ]  # fmt: skip


def test_it_has_enough_hostile_texts() -> None:
    assert len(set(TEXTS)) >= 40


def test_it_shows_hostile_text_as_text_on_every_page(
    context: BrowserContext, studio: Studio, hostile: Hostile
) -> None:
    watch = Watch(studio.address)
    page = context.new_page()
    watch.follow(page)
    answers = [page.goto(studio.page(path)) for path in paths(hostile)]
    assert [answer.status for answer in answers if answer] == [200] * len(answers)
    for name, path in every_page(context, studio).items():
        if not name.startswith("nowhere"):
            page.goto(studio.address + path)
    page.goto(studio.page(f"experiments/{hostile.experiment}/"))
    open_each_trial(page)
    assert watch.happened == []


def open_each_trial(page: Page) -> None:
    """Open the panel of the first trials, one after another, as htmx puts them in."""
    for place in range(8):
        page.locator("#trials [data-open]").nth(place).click()
        page.locator("#panel h2").wait_for()
        page.keyboard.press("Escape")


def test_it_makes_no_element_of_hostile_text(page: Page, studio: Studio, hostile: Hostile) -> None:
    for path in paths(hostile):
        page.goto(studio.page(path))
        made: Any = page.evaluate(
            "(live) => live.flatMap((s) => [...document.querySelectorAll('main ' + s)])"
            ".map((e) => e.outerHTML.slice(0, 120))",
            [each.replace(", ", ", main ") for each in LIVE],
        )
        assert made == [], path
