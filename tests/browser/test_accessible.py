"""Pages for everybody: what axe finds serious or critical."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.browser.conftest import Studio
from tests.browser.pages import all_finished, every_page

GRAVE = {"serious", "critical"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_has_no_serious_obstacle_on_any_page(
    browser: Browser, studio: Studio, scheme: Literal["light", "dark"]
) -> None:
    # axe adds a script of its own, which the policy would refuse.
    window = browser.new_context(color_scheme=scheme, bypass_csp=True)
    window.add_cookies(studio.cookies)
    all_finished(window, studio)
    page = window.new_page()
    found = {}
    for name, path in every_page(window, studio).items():
        page.goto(studio.address + path)
        if obstacles := grave(page):
            found[name] = obstacles
    window.close()
    assert found == {}


def test_it_has_one_main_heading_on_every_page(browser: Browser, studio: Studio) -> None:
    window = browser.new_context()
    window.add_cookies(studio.cookies)
    all_finished(window, studio)
    page = window.new_page()
    wrong = {}
    for name, path in every_page(window, studio).items():
        page.goto(studio.address + path)
        if (count := page.locator("h1").count()) != 1:
            wrong[name] = count
    window.close()
    assert wrong == {}


def grave(page: Page) -> list[str]:
    """Each grave finding with the places where it is."""
    violations: list[dict[str, Any]] = Axe().run(page).response["violations"]
    return [
        f"{each['id']}: {', '.join(str(node['target']) for node in each['nodes'][:3])}"
        for each in violations
        if each["impact"] in GRAVE
    ]
