"""The pages of datasets and items."""

from __future__ import annotations

import pytest
from django.test import Client

from studio.accounts.models import Project
from studio.datasets.models import Dataset, DatasetItem
from studio.datasets.save import ItemDraft, add_items, create_dataset, delete_items
from studio.datasets.values import unix

HTMX = {"HX-Request": "true"}
ROOT = "/p/demo/datasets/"
HOSTILE = "<script>alert(1)</script>{{ 7|add:7 }}"


@pytest.fixture
def dataset(project: Project) -> Dataset:
    """Three items in two versions."""
    made = create_dataset(project, "Sums", description="Small sums", tags=["math"])
    add_items(made, [ItemDraft("1 + 1", "2", external_id="a/b"), ItemDraft({"q": "Zürich"})])
    add_items(made, [ItemDraft(HOSTILE, metadata={"k": HOSTILE})])
    return made


def item(text: object) -> DatasetItem:
    """The open row of an input."""
    return next(row for row in DatasetItem.objects.current() if row.input == text)


def form_of(client: Client, url: str) -> dict[str, str]:
    """What a browser would send back for an untouched form."""
    form = client.get(url).context["form"]
    values = {bound.html_name: bound.value() for bound in form}
    return {k: unix(str(v)).replace("\n", "\r\n") for k, v in values.items() if v is not None}


def test_the_list_shows_names_tags_items_and_versions(ada_client: Client, dataset: Dataset) -> None:
    html = ada_client.get(ROOT).text
    assert all(words in html for words in ("Sums", "Small sums", "math", "New dataset"))


def test_the_list_answers_htmx_with_its_part(ada_client: Client, dataset: Dataset) -> None:
    html = ada_client.get(ROOT, {"tag": "math"}, headers=HTMX).text
    assert "Sums" in html
    assert "<h1>" not in html
    assert "No dataset matches" in ada_client.get(ROOT, {"q": "%00\x00"}, headers=HTMX).text


def test_an_empty_project_says_what_to_do_next(ada_client: Client, project: Project) -> None:
    assert "No datasets yet" in ada_client.get(ROOT).text


def test_a_dataset_is_created_once_by_name(ada_client: Client, project: Project) -> None:
    sent = {"name": "New one", "description": "d", "tags": "a, b, a"}
    answer = ada_client.post(f"{ROOT}create/", sent)
    assert answer.headers["Location"] == f"{ROOT}new-one/"
    assert Dataset.objects.get().tags == ["a", "b"]
    again = ada_client.post(f"{ROOT}create/", {"name": "new ONE"})
    assert again.status_code == 422
    assert "Another dataset has this name" in again.text


def test_a_dataset_gets_other_words(ada_client: Client, dataset: Dataset) -> None:
    ada_client.post(f"{ROOT}sums/edit/", {"name": "Sums", "description": "Other words", "tags": ""})
    dataset.refresh_from_db()
    assert (dataset.description, dataset.tags, dataset.version_number) == ("Other words", [], 2)


def test_the_items_page_lists_items_as_they_were_added(
    ada_client: Client, dataset: Dataset
) -> None:
    html = ada_client.get(f"{ROOT}sums/").text
    assert html.index("1 + 1") < html.index("Zürich") < html.index("&lt;script&gt;alert")
    assert "read-only" not in html


def test_no_text_of_an_item_becomes_markup(ada_client: Client, dataset: Dataset) -> None:
    for url in (f"{ROOT}sums/", f"{ROOT}sums/items/{item(HOSTILE).item_id}/"):
        html = ada_client.get(url).text
        assert "<script>alert" not in html
        assert "{{ 7|add:7 }}" in html


def test_an_older_version_is_marked_and_read_only(ada_client: Client, dataset: Dataset) -> None:
    html = ada_client.get(f"{ROOT}sums/?version=1").text
    assert "Version 1, read-only" in html
    assert "Return to the newest" in html
    assert "script&gt;" not in html
    assert "Add an item" not in html
    assert ada_client.get(f"{ROOT}sums/?version=9").status_code == 404


@pytest.mark.parametrize(
    ("q", "found"),
    [("1 + 1", 1), ("zürich", 0), ("Zürich", 1), ("a/b", 1), ("nothing", 0), ("\x00", 0), ("%", 0)],
)
def test_items_are_searched_by_text(
    ada_client: Client, dataset: Dataset, q: str, found: int
) -> None:
    answer = ada_client.get(f"{ROOT}sums/", {"q": q}, headers=HTMX)
    assert "<h1>" not in answer.text
    if q != "zürich":  # SQLite folds the case of ASCII letters only
        assert len(answer.context["page"].rows) == found


def test_items_are_paged_by_place_even_after_edits(ada_client: Client, dataset: Dataset) -> None:
    add_items(dataset, [ItemDraft(f"n{n}") for n in range(60)])
    seen, url = [], f"{ROOT}sums/?limit=20"
    while url:
        page = ada_client.get(url).context["page"]
        seen += [row.input for row in page]
        url = f"{ROOT}sums/{page.older}" if page.older else ""
    assert len(seen) == len({str(each) for each in seen}) == 63
    assert seen[-1] == "n59"
    back = ada_client.get(f"{ROOT}sums/{page.newer}").context["page"]
    assert [row.input for row in back][-1] == seen[-len(page.rows) - 1]


def test_an_item_opens_in_the_panel_and_alone(ada_client: Client, dataset: Dataset) -> None:
    url = f"{ROOT}sums/items/{item('1 + 1').item_id}/"
    part, page = ada_client.get(url, headers=HTMX).text, ada_client.get(url).text
    assert "<h1>" not in part
    assert "sidebar" not in part
    assert 'class="panel panel-page"' in page
    words = ("1 + 1", "Ground truth", "a/b", "Edit", "Delete this item")
    assert all(each in part and each in page for each in words)
    assert f"/items/{item({'q': 'Zürich'}).item_id}/" in part


def test_the_panel_of_an_older_version_shows_it_as_it_was(
    ada_client: Client, dataset: Dataset
) -> None:
    item_id = item("1 + 1").item_id
    delete_items(dataset, [item_id])
    url = f"{ROOT}sums/items/{item_id}/"
    assert ada_client.get(url).status_code == 404
    html = ada_client.get(f"{url}?version=2", headers=HTMX).text
    assert "Version 2, read-only" in html
    assert "Delete this item" not in html


def test_plain_text_needs_no_quotes(ada_client: Client, dataset: Dataset) -> None:
    sent = {"input_type": "text", "input": "a\r\nb", "truth_type": "text", "truth": "7"}
    assert ada_client.post(f"{ROOT}sums/items/add/", sent).status_code == 302
    row = DatasetItem.objects.get(version_from=3)
    assert (row.input, row.ground_truth, row.has_ground_truth) == ("a\nb", "7", True)


def test_json_is_read_when_it_is_chosen(ada_client: Client, dataset: Dataset) -> None:
    sent = {"input_type": "json", "input": '{"n": [1]}', "truth_type": "none"}
    ada_client.post(f"{ROOT}sums/items/add/", sent | {"metadata": '{"a": 1}', "tags": "x,y"})
    row = DatasetItem.objects.get(version_from=3)
    assert (row.input, row.has_ground_truth) == ({"n": [1]}, False)
    assert (row.metadata, row.tags) == ({"a": 1}, ["x", "y"])


def test_wrong_json_says_where_it_is_wrong(ada_client: Client, dataset: Dataset) -> None:
    sent = {"input_type": "json", "input": '{"a": 1,\r\n"b" 2}', "truth_type": "none"}
    answer = ada_client.post(f"{ROOT}sums/items/add/", sent | {"metadata": "[1]"})
    assert answer.status_code == 422
    assert "at line 2, column 5" in answer.text
    assert "Give a JSON object" in answer.text
    assert dataset.versions.count() == 3


@pytest.mark.parametrize(
    "value", ["a\r\nb", "\nx ", " ", "7", "null", 7, None, {"a": "x\r\ny"}, [1, [2]], 2**70, "é\t"]
)
def test_an_untouched_form_changes_nothing(
    ada_client: Client, dataset: Dataset, value: object
) -> None:
    add_items(dataset, [ItemDraft(value, value, tags=["a,b"], request_context={"v": value})])
    row = DatasetItem.objects.get(version_from=3)
    url = f"{ROOT}sums/items/{row.item_id}/edit/"
    assert ada_client.post(url, form_of(ada_client, url)).status_code == 302
    assert dataset.versions.count() == 4


def test_an_edit_makes_a_version(ada_client: Client, dataset: Dataset) -> None:
    url = f"{ROOT}sums/items/{item('1 + 1').item_id}/edit/"
    ada_client.post(url, form_of(ada_client, url) | {"truth": "two"})
    assert item("1 + 1").ground_truth == "two"
    assert dataset.versions.get(number=3).changed == 1


def test_an_id_of_another_item_is_refused_in_words(ada_client: Client, dataset: Dataset) -> None:
    sent = {"input_type": "text", "input": "x", "truth_type": "none", "external_id": "a/b"}
    answer = ada_client.post(f"{ROOT}sums/items/add/", sent)
    assert answer.status_code == 422
    assert "belongs to an item with other content" in answer.text


def test_a_deleted_item_leaves_the_newest_version(ada_client: Client, dataset: Dataset) -> None:
    item_id = item("1 + 1").item_id
    assert "Delete this item" in ada_client.get(f"{ROOT}sums/items/{item_id}/").text
    ada_client.post(f"{ROOT}sums/items/{item_id}/delete/")
    assert "1 + 1" not in ada_client.get(f"{ROOT}sums/").text
    assert "1 + 1" in ada_client.get(f"{ROOT}sums/?version=2").text


def test_the_versions_say_what_they_changed(ada_client: Client, dataset: Dataset) -> None:
    html = ada_client.get(f"{ROOT}sums/versions/").text
    assert "?version=1" in html
    assert "Version 2" in html


PATHS = ["", "sums/", "sums/versions/"]
WRITES = ["create/", "import/", "sums/edit/", "sums/items/add/", "sums/items/x/edit/"]


def test_a_viewer_reads_and_may_not_write(bo_client: Client, dataset: Dataset) -> None:
    assert [bo_client.get(ROOT + path).status_code for path in PATHS] == [200] * 3
    assert "Add an item" not in bo_client.get(f"{ROOT}sums/").text
    assert {bo_client.get(ROOT + path).status_code for path in WRITES} == {403}
    paths = [*WRITES, "sums/items/x/delete/", f"import/{'k' * 32}/"]
    assert {bo_client.post(ROOT + path).status_code for path in paths} == {403}
    assert dataset.versions.count() == 3


def test_a_stranger_finds_nothing(cy_client: Client, dataset: Dataset) -> None:
    assert {cy_client.get(ROOT + path).status_code for path in [*PATHS, *WRITES]} == {404}
    assert cy_client.get("/p/other/datasets/sums/").status_code == 404


def test_somebody_unknown_is_sent_to_sign_in(client: Client, dataset: Dataset) -> None:
    assert client.get(f"{ROOT}sums/").status_code == 302
