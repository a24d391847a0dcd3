"""Datasets by API."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from studio.accounts.models import Project
from studio.datasets.models import Dataset, DatasetItem
from studio.datasets.save import ItemDraft, add_items, create_dataset

ROOT = "/api/v1/projects/demo/datasets/"


@pytest.fixture
def dataset(project: Project) -> Dataset:
    """Two items at version 1."""
    made = create_dataset(project, "Sums")
    add_items(made, [ItemDraft("1 + 1", "2", external_id="a/b"), ItemDraft({"q": None})])
    return made


def send(client: Client, method: str, path: str, body: Any) -> Any:
    """An answer to a JSON body."""
    call = getattr(client, method)
    return call(ROOT + path, data=orjson.dumps(body), content_type="application/json")


def test_a_dataset_is_made_read_changed_and_listed(ada_client: Client, project: Project) -> None:
    made = send(ada_client, "post", "", {"name": "New one", "tags": ["x"]})
    assert made.status_code == 201
    assert (made.json()["slug"], made.json()["version"]) == ("new-one", 0)
    changed = send(ada_client, "patch", "new-one/", {"description": "d"}).json()
    assert (changed["name"], changed["description"], changed["tags"]) == ("New one", "d", ["x"])
    assert ada_client.get(f"{ROOT}new-one/").json() == changed
    assert ada_client.get(ROOT).json()["results"] == [changed]


def test_a_taken_name_is_refused(ada_client: Client, dataset: Dataset) -> None:
    answer = send(ada_client, "post", "", {"name": "sums"})
    assert answer.status_code == 400
    assert answer.json()["errors"] == {"name": ["Another dataset has this name."]}


def test_a_batch_is_one_version(ada_client: Client, dataset: Dataset) -> None:
    items = [{"input": 1}, {"input": None, "ground_truth": None}, {"input": "x", "tags": ["t"]}]
    answer = send(ada_client, "post", "sums/items/", {"items": items, "note": "three"})
    assert answer.status_code == 201
    said = answer.json()
    assert (said["number"], said["added"], said["item_count"], said["author"]) == (2, 3, 5, "ada")
    found = ada_client.get(f"{ROOT}sums/items/?after=0").json()["results"]
    assert [each["input"] for each in found] == ["1 + 1", {"q": None}, 1, None, "x"]
    assert ["ground_truth" in each for each in found] == [True, False, False, True, False]
    versions = ada_client.get(f"{ROOT}sums/versions/").json()["results"]
    assert [each["number"] for each in versions] == [2, 1, 0]


def test_items_are_listed_at_a_version_and_found_by_id_and_text(
    ada_client: Client, dataset: Dataset
) -> None:
    add_items(dataset, [ItemDraft("later")])
    url = f"{ROOT}sums/items/"
    assert len(ada_client.get(url, {"version": 1}).json()["results"]) == 2
    assert len(ada_client.get(url, {"external_id": "a/b"}).json()["results"]) == 1
    assert len(ada_client.get(url, {"q": "late"}).json()["results"]) == 1
    assert ada_client.get(url, {"q": "\x00"}).json()["results"] == []
    assert ada_client.get(url, {"external_id": "\x00"}).json()["results"] == []
    assert ada_client.get(url, {"version": 7}).status_code == 404


def test_items_are_paged(ada_client: Client, dataset: Dataset) -> None:
    first = ada_client.get(f"{ROOT}sums/items/", {"limit": 1}).json()
    second = ada_client.get(f"{ROOT}sums/items/{first['next']}").json()
    assert [each["input"] for each in second["results"]] == [{"q": None}]
    assert second["next"] is None
    assert second["previous"]


def test_a_batch_with_a_known_id_is_refused_by_place(ada_client: Client, dataset: Dataset) -> None:
    items = [{"input": 1}, {"input": "other", "external_id": "a/b"}]
    answer = send(ada_client, "post", "sums/items/", {"items": items})
    assert answer.status_code == 409
    assert list(answer.json()["errors"]) == ["1"]
    assert DatasetItem.objects.count() == 2


def test_the_same_batch_again_makes_no_version(ada_client: Client, dataset: Dataset) -> None:
    same = {"input": "1 + 1", "ground_truth": "2", "external_id": "a/b"}
    answer = send(ada_client, "post", "sums/items/", {"items": [same]})
    assert (answer.status_code, answer.json()["number"]) == (200, 1)
    assert send(ada_client, "post", "sums/items/", {"items": []}).json()["number"] == 1


def test_an_item_is_changed_field_by_field(ada_client: Client, dataset: Dataset) -> None:
    item_id = DatasetItem.objects.get(external_id="a/b").item_id
    path = f"sums/items/{item_id}/"
    changed = send(ada_client, "patch", path, {"metadata": {"k": [1]}}).json()
    assert (changed["input"], changed["ground_truth"], changed["metadata"]) == (
        "1 + 1", "2", {"k": [1]},
    )  # fmt: skip
    assert changed["version_from"] == 2
    gone = send(ada_client, "patch", path, {"has_ground_truth": False}).json()
    assert "ground_truth" not in gone
    assert send(ada_client, "patch", path, {}).json()["version_from"] == 3
    assert ada_client.get(f"{ROOT}{path}?version=1").json()["metadata"] == {}


def test_items_are_deleted_one_by_one_and_in_batches(ada_client: Client, dataset: Dataset) -> None:
    first, second = DatasetItem.objects.order_by("position")
    answer = ada_client.delete(f"{ROOT}sums/items/{first.item_id}/")
    assert (answer.json()["number"], answer.json()["removed"]) == (2, 1)
    assert ada_client.delete(f"{ROOT}sums/items/{first.item_id}/").status_code == 404
    ids = {"item_ids": [first.item_id, second.item_id]}
    assert send(ada_client, "post", "sums/items/delete/", ids).json()["number"] == 3
    assert send(ada_client, "post", "sums/items/delete/", ids).json()["number"] == 3


def test_f59_a_nul_is_stored_with_a_visible_replacement(
    ada_client: Client, dataset: Dataset
) -> None:
    items = [{"input": "a\x00b"}, {"input": "good"}]
    said = send(ada_client, "post", "sums/items/", {"items": items}).json()
    assert "replaced in 1 item" in said["note"]
    assert DatasetItem.objects.filter(input="a\ufffdb").exists()


def load(client: Client, data: bytes, **sent: Any) -> Any:
    """The answer to an import."""
    return client.post(f"{ROOT}sums/import/", {"file": SimpleUploadedFile("f.csv", data), **sent})


def test_f50_a_spreadsheet_is_imported_as_in_the_browser(
    ada_client: Client, dataset: Dataset
) -> None:
    said = load(ada_client, b"\xef\xbb\xbfinput,expected\r\nWhat is 2+2?,4\r\n").json()
    assert (said["added"], said["version"]["number"], said["faults"]) == (1, 2, [])
    row = DatasetItem.objects.get(version_from=2)
    assert (row.input, row.ground_truth) == ("What is 2+2?", "4")


def test_an_import_follows_its_mapping_and_policy(ada_client: Client, dataset: Dataset) -> None:
    columns = {"q": "input", "a": {"role": "ground_truth", "as": "json"}}
    mapping = orjson.dumps({"columns": columns, "take": "after", "marker": "####"}).decode()
    data = b"q,a,z\nx,so #### 18,1\ny,none,2\n"
    refused = load(ada_client, data, mapping=mapping)
    assert refused.status_code == 400
    assert "Line 3" in refused.json()["errors"]["file"][0]
    said = load(ada_client, data, mapping=mapping, policy="good").json()
    assert said["faults"] == [{"line": 3, "reason": "“a” does not contain “####”"}]
    row = DatasetItem.objects.get(version_from=2)
    assert (row.input, row.ground_truth, row.metadata) == ("x", 18, {})


@pytest.mark.parametrize(
    "mapping", ["[]", "{", '{"columns": {"q": "nonsense"}}', '{"columns": {"nope": "input"}}']
)
def test_a_wrong_mapping_is_refused(ada_client: Client, dataset: Dataset, mapping: str) -> None:
    answer = load(ada_client, b"q\nx\n", mapping=mapping)
    assert answer.status_code == 400
    assert answer.json()["errors"]


def test_a_viewer_reads_and_may_not_write(bo_client: Client, dataset: Dataset) -> None:
    assert bo_client.get(f"{ROOT}sums/items/").status_code == 200
    assert send(bo_client, "post", "", {"name": "n"}).status_code == 403
    assert send(bo_client, "post", "sums/items/", {"items": []}).status_code == 403
    assert load(bo_client, b"input\na\n").status_code == 403


def test_a_stranger_finds_nothing(cy_client: Client, dataset: Dataset) -> None:
    for path in ("", "sums/", "sums/items/", "sums/versions/"):
        assert cy_client.get(ROOT + path).status_code == 404
    assert cy_client.get("/api/v1/projects/other/datasets/sums/").status_code == 404
