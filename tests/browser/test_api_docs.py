"""The API's page in a browser."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.conftest import Studio


def test_swagger_shows_the_calls_and_breaks_no_policy(page: Page, studio: Studio) -> None:
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(f"{studio.address}/api/v1/docs/")
    expect(page.locator(".opblock").first).to_be_visible()
    expect(page.get_by_text("Evals Studio").first).to_be_visible()
    page.locator(".opblock").first.click()
    expect(page.locator(".opblock-body").first).to_be_visible()
    assert not [words for words in said if "Content Security Policy" in words], said
