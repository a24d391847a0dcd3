"""A file between the steps of an import: kept for one person and one project, for an hour."""

from __future__ import annotations

import json
import re
import secrets
import time
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

MAX_BYTES = 20 * 2**20
KEPT_S = 3600
KEY = re.compile(r"[A-Za-z0-9_-]{32}")


@dataclass(frozen=True, slots=True)
class Upload:
    """A kept file and where it is to go."""

    key: str
    name: str
    dataset: str  # the slug of a dataset that exists, or nothing
    new_name: str
    data: bytes


def folder() -> Path:
    """Where uploads are kept."""
    path = Path(settings.DATA_DIR) / "uploads"
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def keep_upload(
    project_id: int, user_id: int, data: bytes, *, name: str, dataset: str = "", new_name: str = ""
) -> str:
    """Keep a file and return the key to it; what is older than an hour goes."""
    forget_old()
    key = secrets.token_urlsafe(24)
    facts = {"project": project_id, "user": user_id, "name": name[:200]}
    facts |= {"dataset": dataset, "new_name": new_name}
    (folder() / f"{key}.data").write_bytes(data)
    (folder() / f"{key}.json").write_text(json.dumps(facts), encoding="utf-8")
    return key


def find_upload(project_id: int, user_id: int, key: str) -> Upload | None:
    """The upload of this key, if it is this person's in this project and still kept."""
    if not KEY.fullmatch(key):
        return None
    forget_old()
    try:
        facts = json.loads((folder() / f"{key}.json").read_text(encoding="utf-8"))
        data = (folder() / f"{key}.data").read_bytes()
    except OSError:
        return None
    if facts["project"] != project_id or facts["user"] != user_id:
        return None
    return Upload(key, facts["name"], facts["dataset"], facts["new_name"], data)


def drop_upload(key: str) -> None:
    """Forget one upload."""
    if KEY.fullmatch(key):
        for ending in ("data", "json"):
            (folder() / f"{key}.{ending}").unlink(missing_ok=True)


def forget_old() -> None:
    """Forget what was kept for more than an hour."""
    oldest = time.time() - KEPT_S
    for path in folder().iterdir():
        try:
            if path.stat().st_mtime < oldest:
                path.unlink(missing_ok=True)
        except OSError:  # another process was quicker
            continue
