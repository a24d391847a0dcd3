"""Versions of datasets: one for each batch that changes something, and none for the rest."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

import evals_core
from studio.accounts.models import Project
from studio.datasets.build import engine_item
from studio.datasets.draft import draft_of
from studio.datasets.models import Dataset, DatasetItem, DatasetVersion
from studio.datasets.save import (
    DatasetRefused,
    IdentityConflict,
    ItemDraft,
    UnknownItem,
    add_items,
    create_dataset,
    delete_items,
    saved_before,
    update_item,
)
from studio.datasets.saving import save_as_item


@pytest.fixture
def dataset(project: Project) -> Dataset:
    """An empty dataset."""
    return create_dataset(project, "Sums")


def inputs(dataset: Dataset, number: int) -> list[object]:
    """What a version asks."""
    rows = DatasetItem.objects.filter(dataset=dataset).at(number).in_order()
    return [row.input for row in rows]


def only_item(dataset: Dataset) -> DatasetItem:
    """The one item of the newest version."""
    return DatasetItem.objects.filter(dataset=dataset).current().get()


def test_a_new_dataset_is_empty_at_version_0(dataset: Dataset) -> None:
    assert dataset.slug == "sums"
    assert (dataset.version_number, dataset.item_count) == (0, 0)
    assert dataset.versions.get().number == 0


def test_a_second_dataset_of_the_name_gets_another_slug(project: Project, dataset: Dataset) -> None:
    assert create_dataset(project, "Sums").slug == "sums-2"
    assert create_dataset(project, "Import").slug != "import"
    assert create_dataset(project, "日本").slug == "dataset"


def test_a_batch_is_one_version_with_its_counts(dataset: Dataset) -> None:
    version = add_items(dataset, [ItemDraft(n) for n in range(3)], note="three")
    assert (version.number, version.added, version.item_count) == (1, 3, 3)
    assert inputs(dataset, 1) == [0, 1, 2]
    assert inputs(dataset, 0) == []
    assert dataset.version_number == 1


def test_an_empty_batch_makes_no_version(dataset: Dataset) -> None:
    assert add_items(dataset, []).number == 0
    assert delete_items(dataset, ["nothing"]).number == 0
    assert dataset.versions.count() == 1


def test_an_update_keeps_the_item_and_the_old_version(dataset: Dataset) -> None:
    add_items(dataset, [ItemDraft("a"), ItemDraft("b")])
    first = DatasetItem.objects.filter(input="a").get()
    version = update_item(dataset, first.item_id, ItemDraft("A"))
    assert (version.number, version.changed, version.item_count) == (2, 1, 2)
    assert inputs(dataset, 1) == ["a", "b"]
    assert inputs(dataset, 2) == ["A", "b"]
    later = DatasetItem.objects.current().get(item_id=first.item_id)
    assert later.created_at == first.created_at


def test_an_update_to_the_same_content_makes_no_version(dataset: Dataset) -> None:
    add_items(dataset, [ItemDraft({"a": 1, "b": 2})])
    same = update_item(dataset, only_item(dataset).item_id, ItemDraft({"b": 2, "a": 1}))
    assert same.number == 1
    assert (
        update_item(dataset, only_item(dataset).item_id, ItemDraft({"b": 2, "a": True})).number == 2
    )


def test_a_deleted_item_stays_in_older_versions(dataset: Dataset) -> None:
    add_items(dataset, [ItemDraft("a"), ItemDraft("b")])
    gone = DatasetItem.objects.get(input="a").item_id
    version = delete_items(dataset, [gone, gone, "unknown"])
    assert (version.number, version.removed, version.item_count) == (2, 1, 1)
    assert inputs(dataset, 1) == ["a", "b"]
    assert inputs(dataset, 2) == ["b"]
    with pytest.raises(UnknownItem):
        update_item(dataset, gone, ItemDraft("c"))


def test_the_same_external_id_and_content_is_the_same_item(dataset: Dataset) -> None:
    add_items(dataset, [ItemDraft("a", external_id="1"), ItemDraft("a", external_id="1")])
    assert add_items(dataset, [ItemDraft("a", external_id="1")]).number == 1
    assert inputs(dataset, 1) == ["a"]


def test_an_external_id_with_other_content_refuses_the_batch(dataset: Dataset) -> None:
    add_items(dataset, [ItemDraft("a", external_id="1")])
    with pytest.raises(IdentityConflict) as caught:
        add_items(dataset, [ItemDraft("new"), ItemDraft("b", external_id="1")])
    assert list(caught.value.details) == [1]
    assert inputs(dataset, dataset.version_number) == ["a"]


def test_a_deleted_external_id_refuses_the_batch(dataset: Dataset) -> None:
    add_items(dataset, [ItemDraft("a", external_id="1")])
    delete_items(dataset, [only_item(dataset).item_id])
    with pytest.raises(IdentityConflict, match="deleted"):
        add_items(dataset, [ItemDraft("a", external_id="1")])


def test_an_import_updates_known_ids_and_brings_deleted_ones_back(dataset: Dataset) -> None:
    add_items(dataset, [ItemDraft("a", external_id="1"), ItemDraft("b", external_id="2")])
    delete_items(dataset, [DatasetItem.objects.get(input="b").item_id])
    again = [ItemDraft("A", external_id="1"), ItemDraft("b", external_id="2")]
    version = add_items(dataset, again, update_known=True)
    assert (version.added, version.changed, version.item_count) == (1, 1, 2)
    assert inputs(dataset, 3) == ["A", "b"]


def test_an_external_id_that_an_item_gave_up_is_free(dataset: Dataset) -> None:
    add_items(dataset, [ItemDraft("a", external_id="1")])
    update_item(dataset, only_item(dataset).item_id, ItemDraft("a", external_id="2"))
    add_items(dataset, [ItemDraft("b", external_id="1")])
    assert inputs(dataset, 3) == ["a", "b"]


def test_an_update_cannot_take_the_id_of_another_item(dataset: Dataset) -> None:
    add_items(dataset, [ItemDraft("a", external_id="1"), ItemDraft("b")])
    other = DatasetItem.objects.get(input="b")
    with pytest.raises(IdentityConflict):
        update_item(dataset, other.item_id, ItemDraft("b", external_id="1"))


def test_absent_and_null_ground_truth_are_kept_apart(dataset: Dataset) -> None:
    add_items(dataset, [ItemDraft("a"), ItemDraft("b", None), ItemDraft("c", "")])
    rows = DatasetItem.objects.order_by("position")
    assert [row.has_ground_truth for row in rows] == [False, True, True]
    assert engine_item(rows[0]).ground_truth is evals_core.ABSENT
    assert engine_item(rows[1]).ground_truth is None
    assert [draft_of(row).content() for row in rows[:2]] == [
        ItemDraft("a").content(),
        ItemDraft("b", None).content(),
    ]


@pytest.mark.parametrize(
    "value", ["text", "", "7", 7, 7.5, None, True, {"q": "x", "n": [1, {"b": None}]}, [], 2**70]
)
def test_values_keep_their_types(dataset: Dataset, value: object) -> None:
    add_items(dataset, [ItemDraft(value, value, metadata={"v": value})])
    row = only_item(dataset)
    assert (row.input, row.ground_truth, row.metadata) == (value, value, {"v": value})
    assert type(row.input) is type(value)


def test_f59_what_no_database_holds_is_replaced_and_said(dataset: Dataset) -> None:
    version = add_items(dataset, [ItemDraft("a\x00b", "\ud800"), ItemDraft("good")], note="n\x00")
    assert inputs(dataset, 1) == ["a\ufffdb", "good"]
    assert "replaced in 1 item" in version.note
    assert "\x00" not in version.note


def test_the_database_refuses_two_open_rows_of_an_item(dataset: Dataset) -> None:
    add_items(dataset, [ItemDraft("a", external_id="1")])
    twin = only_item(dataset)
    twin.pk, twin.version_from, twin.external_id = None, 2, ""
    with pytest.raises(IntegrityError), transaction.atomic():
        twin.save()
    twin.item_id, twin.external_id = "other", "1"
    with pytest.raises(IntegrityError), transaction.atomic():
        twin.save()


def test_the_database_refuses_an_item_that_ends_before_it_begins(dataset: Dataset) -> None:
    row = DatasetItem(dataset=dataset, item_id="x", version_from=3, version_to=3, position=1)
    row.created_at = timezone.now()
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save()


def test_the_database_refuses_a_version_number_twice(dataset: Dataset) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        DatasetVersion.objects.create(dataset=dataset, number=0)


def test_a_failure_in_the_middle_leaves_nothing(
    dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise IntegrityError

    monkeypatch.setattr(DatasetVersion.objects, "create", fail)
    with pytest.raises(IntegrityError):
        add_items(dataset, [ItemDraft("a")])
    dataset.refresh_from_db()
    assert (dataset.version_number, DatasetItem.objects.count()) == (0, 0)


def test_an_item_saved_from_a_score_is_found_again(project: Project, dataset: Dataset) -> None:
    draft = ItemDraft("q", "a", source={"type": "score", "reference": 12}, source_key="score:12")
    item = save_as_item(project, draft, dataset=dataset)
    assert saved_before(dataset, "score:12") == item
    assert saved_before(dataset, "score:13") is None
    assert saved_before(dataset, "") is None
    assert dataset.versions.get(number=1).note == "saved from a score"


def test_an_item_can_be_saved_into_a_dataset_made_for_it(project: Project) -> None:
    item = save_as_item(project, ItemDraft({"messages": []}), new_dataset="Hard ones")
    assert item.dataset.slug == "hard-ones"
    assert item.dataset.version_number == 1
    with pytest.raises(DatasetRefused):
        save_as_item(project, ItemDraft("q"), new_dataset=" ")
