"""The import of a file through the pages."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from studio.accounts.models import Project
from studio.datasets import uploads
from studio.datasets.models import Dataset, DatasetItem
from studio.datasets.save import create_dataset

START = "/p/demo/datasets/import/"
GSM = (
    b'{"question": "2 and 3?", "answer": "<<2+3=5>>5\\n#### 5"}\n'
    b'{"question": "1?", "answer": "no"}\n'
)


@pytest.fixture(autouse=True)
def data_dir(settings: Any, tmp_path: Path) -> Path:
    """Uploads of tests stay in their own folder."""
    settings.DATA_DIR = tmp_path
    return tmp_path


def upload(client: Client, data: bytes, name: str = "own.csv", **sent: str) -> str:
    """The address of the second step."""
    target = {} if "dataset" in sent else {"new_dataset": "Imported"}
    answer = client.post(START, {"file": SimpleUploadedFile(name, data), **target, **sent})
    assert answer.status_code == 302, answer.context["form"].errors
    return answer.headers["Location"]


def choices(client: Client, url: str, **changes: str) -> dict[str, Any]:
    """What a browser would send for the second step, with some choices changed."""
    context = client.get(url).context
    forms = [context["form"], context["format_form"]]
    sent = {bound.html_name: bound.value() for form in forms for bound in form}
    sent = {name: str(value) for name, value in sent.items() if value not in (None, False)}
    return sent | {"columns": context["signature"], "action": "import"} | changes


def test_a_file_is_mapped_seen_and_imported(ada_client: Client, project: Project) -> None:
    url = upload(ada_client, b"\xef\xbb\xbfinput,expected\r\n<b>2+2</b>?,4\r\n")
    page = ada_client.get(url).text
    assert "from its byte-order mark" in page
    assert "exactly as they will be stored" in page
    assert "&lt;b&gt;2+2&lt;/b&gt;?" in page
    done = ada_client.post(url, choices(ada_client, url)).text
    assert "Imported into Imported" in done
    row = DatasetItem.objects.get()
    assert (row.input, row.ground_truth, row.source["line"]) == ("<b>2+2</b>?", "4", 2)
    assert Dataset.objects.get().versions.get(number=1).note == "imported from own.csv"
    assert ada_client.get(url).status_code == 302  # the upload is used up


def test_pasted_rows_go_into_a_dataset_that_exists(ada_client: Client, project: Project) -> None:
    dataset = create_dataset(project, "There")
    answer = ada_client.post(START, {"dataset": "there", "paste": "input;expected\r\na;b\r\n"})
    url = answer.headers["Location"]
    ada_client.post(url, choices(ada_client, url))
    dataset.refresh_from_db()
    assert (dataset.version_number, dataset.item_count) == (1, 1)


def test_the_ground_truth_is_taken_after_a_marker(ada_client: Client, project: Project) -> None:
    url = upload(ada_client, GSM, "gsm.jsonl")
    sent = choices(ada_client, url, take="after", marker="####")
    look = ada_client.post(url, sent | {"action": "preview"})
    assert look.context["drafts"][0].ground_truth == "5"
    assert "Line 2 “answer” does not contain “####”." in look.text
    refused = ada_client.post(url, sent)
    assert refused.status_code == 422
    assert "Nothing was imported: 1 row cannot be imported" in refused.text
    assert not Dataset.objects.exists()
    ada_client.post(url, sent | {"policy": "good"})
    assert [row.ground_truth for row in DatasetItem.objects.all()] == ["5"]


def test_f51_another_delimiter_makes_other_columns_to_look_at(
    ada_client: Client, project: Project
) -> None:
    url = upload(ada_client, b"input,x;expected\na;b\n")
    sent = choices(ada_client, url, delimiter=";")
    looked = ada_client.post(url, sent)
    assert looked.status_code == 422
    assert "The columns changed. Look at the preview" in looked.text
    assert [c.name for c in looked.context["form"].columns()] == ["input,x", "expected"]
    assert not Dataset.objects.exists()


def test_f59_another_encoding_can_be_chosen(ada_client: Client, project: Project) -> None:
    url = upload(ada_client, "input\ncafé\n".encode("latin-1"))
    page = ada_client.get(url)
    assert "Line 2 is not UTF-8. Choose the encoding of the file." in page.text
    look = ada_client.post(url, {"encoding": "iso-8859-1", "kind": "csv", "delimiter": ","})
    assert look.context["drafts"][0].input == "café"


def test_no_input_column_is_refused_in_words(ada_client: Client, project: Project) -> None:
    url = upload(ada_client, b"input\na\n")
    answer = ada_client.post(url, choices(ada_client, url, **{"role-0": "metadata"}))
    assert answer.status_code == 422
    assert "Choose at least one column as input." in answer.text


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"new_dataset": "n"}, "Choose a file or paste some rows."),
        ({"paste": "input\na"}, "Choose a dataset, or name a new one."),
        ({"paste": "input\na", "new_dataset": "THERE"}, "A dataset of this name exists"),
        ({"paste": "input\na", "dataset": "unknown"}, "Select a valid choice"),
    ],
)
def test_an_upload_without_rows_or_place_is_refused(
    ada_client: Client, project: Project, sent: dict[str, str], words: str
) -> None:
    create_dataset(project, "There")
    answer = ada_client.post(START, sent)
    assert answer.status_code == 422
    assert words in answer.text


def test_too_large_a_file_is_refused_with_its_size(
    ada_client: Client, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.datasets.forms.MAX_BYTES", 10)
    file = SimpleUploadedFile("big.csv", b"input\n" + b"a" * 2**20)
    answer = ada_client.post(START, {"file": file, "new_dataset": "n"})
    assert answer.status_code == 422
    assert "This is 1.0 MiB; an import takes up to 20 MiB." in answer.text


def test_an_upload_belongs_to_one_person_and_one_project(
    ada_client: Client, cy_client: Client, project: Project, other_project: Project
) -> None:
    url = upload(ada_client, b"input\na\n")
    assert cy_client.get(url).status_code == 404
    elsewhere = cy_client.get(url.replace("/p/demo/", "/p/other/"))
    assert elsewhere.headers["Location"] == "/p/other/datasets/import/"
    assert ada_client.get(f"{START}..%2F..%2Fsecret_key/").status_code in (302, 404)


def test_an_upload_is_forgotten_after_an_hour(
    ada_client: Client, project: Project, data_dir: Path
) -> None:
    url = upload(ada_client, b"input\na\n")
    old = time.time() - uploads.KEPT_S - 5
    for path in (data_dir / "uploads").iterdir():
        os.utime(path, (old, old))
    answer = ada_client.get(url, follow=True)
    assert "uploads are kept for an hour" in answer.text
    assert list((data_dir / "uploads").iterdir()) == []
