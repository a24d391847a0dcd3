"""Every page of the studio, found by following links from the first one."""

from __future__ import annotations

import html
import re
import time
from typing import Any
from urllib.parse import urlsplit

from django.urls import Resolver404, resolve
from playwright.sync_api import BrowserContext

from tests.browser.conftest import PATIENCE_S, Studio

HREF = re.compile(r'href="([^"#]+)"')
# These have no links: outside of a project, or reached from a form only.
UNLINKED = ["sign-in/", "password/", "projects/new/", "nowhere/"]
NOT_PAGES = {"live", "ready", "schema", "api-docs", "start", "sign-out", "search"}


def every_page(context: BrowserContext, studio: Studio) -> dict[str, str]:
    """The path of one page for each name of an address, in the order in which links lead there."""
    found: dict[str, str] = {"home": "/p/demo/"}
    waiting = list(found.values())
    while waiting:
        text = context.request.get(studio.address + waiting.pop(0)).text()
        for link in HREF.findall(text):
            address = html.unescape(link)
            name = name_of(address)
            if name and name not in found:
                found[name] = address
                waiting.append(address)
    return found | {path: f"/{path}" for path in UNLINKED}


def name_of(address: str) -> str:
    """The name by which the studio knows a page's address; empty for what is no page."""
    try:
        match = resolve(urlsplit(address).path)
    except Resolver404:
        return ""
    name = match.view_name
    section = re.search(r"section=(\w+)", address)
    is_page = name not in NOT_PAGES and "api" not in name
    return name + (f"?{section[1]}" if section else "") if is_page else ""


def get(context: BrowserContext, studio: Studio, path: str) -> Any:
    """What the API answers at a path of the demo project."""
    answer = context.request.get(f"{studio.address}/api/v1/projects/demo/{path}")
    assert answer.ok, answer.text()
    return answer.json()


def post(context: BrowserContext, studio: Studio, path: str, body: Any) -> Any:
    """What the API answers when `body` is sent to a path of the demo project."""
    token = next(each["value"] for each in context.cookies() if each["name"] == "csrftoken")
    headers = {"X-CSRFToken": token, "Referer": studio.address + "/"}
    url = f"{studio.address}/api/v1/projects/demo/{path}"
    answer = context.request.post(url, data=body, headers=headers)
    assert answer.ok, answer.text()
    return answer.json()


def finished(context: BrowserContext, studio: Studio, pk: int) -> Any:
    """An experiment once it has ended."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        experiment = get(context, studio, f"experiments/{pk}/")
        if experiment["finished_at"]:
            return experiment
        time.sleep(0.3)
    raise AssertionError(f"Experiment {pk} did not end.")


def all_finished(context: BrowserContext, studio: Studio) -> None:
    """Wait until every experiment of the demo has ended."""
    for each in get(context, studio, "experiments/")["results"]:
        finished(context, studio, each["id"])
