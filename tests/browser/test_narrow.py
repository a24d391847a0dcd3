"""Pages on a narrow screen."""

from __future__ import annotations

from playwright.sync_api import Browser

from tests.browser.conftest import Studio
from tests.browser.pages import all_finished, every_page

NARROW = 360


def test_it_scrolls_no_page_sideways_at_360_pixels(browser: Browser, studio: Studio) -> None:
    window = browser.new_context(viewport={"width": NARROW, "height": 740})
    window.add_cookies(studio.cookies)
    all_finished(window, studio)
    page = window.new_page()
    wide = {}
    for name, path in every_page(window, studio).items():
        page.goto(studio.address + path)
        width = page.evaluate("document.documentElement.scrollWidth")
        if width > NARROW:
            wide[name] = width
    window.close()
    assert wide == {}
