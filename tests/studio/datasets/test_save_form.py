"""The form by which a score or a trial becomes an item."""

from __future__ import annotations

import pytest
from django.template.loader import render_to_string

from studio.accounts.models import Project
from studio.datasets.forms import SaveItemForm
from studio.datasets.models import Dataset
from studio.datasets.save import ItemDraft, create_dataset
from studio.datasets.saving import save_as_item
from studio.datasets.values import unix

MESSAGES = {"inputMessages": [{"role": "user", "content": "a\r\nb"}], "n": 2**70}
DRAFT = ItemDraft(MESSAGES, "18", tool_mocks=[{"toolName": "t", "args": {}}], source_key="score:1")


@pytest.fixture
def dataset(project: Project) -> Dataset:
    """Where items go."""
    return create_dataset(project, "Kept")


def sent(form: SaveItemForm, **changes: str) -> dict[str, str]:
    """What a browser would send for a prefilled form."""
    values = {bound.html_name: bound.value() for bound in form}
    texts = {
        k: unix(str(v)).replace("\n", "\r\n") for k, v in values.items() if v not in (None, False)
    }
    return texts | changes


def test_the_prefilled_values_come_back_equal(project: Project, dataset: Dataset) -> None:
    data = sent(SaveItemForm(project, DRAFT), dataset="kept")
    form = SaveItemForm(project, DRAFT, data)
    assert form.is_valid(), form.errors
    assert form.draft().content() == DRAFT.content()
    assert form.draft().source_key == "score:1"
    item = save_as_item(project, form.draft(), dataset=form.cleaned_data["dataset"])
    assert item.input == MESSAGES


def test_a_new_dataset_is_made_for_it(project: Project) -> None:
    form = SaveItemForm(project, DRAFT, sent(SaveItemForm(project, DRAFT), new_dataset="Fresh"))
    assert form.is_valid(), form.errors
    chosen = form.cleaned_data
    item = save_as_item(
        project, form.draft(), dataset=chosen["dataset"], new_dataset=chosen["new_dataset"]
    )
    assert item.dataset.name == "Fresh"


def test_a_repeat_is_pointed_out_and_needs_a_word(project: Project, dataset: Dataset) -> None:
    first = save_as_item(project, DRAFT, dataset=dataset)
    data = sent(SaveItemForm(project, DRAFT), dataset="kept")
    form = SaveItemForm(project, DRAFT, data)
    assert not form.is_valid()
    assert form.duplicate == first
    html = render_to_string("datasets/_save_form.html", {"form": form, "project": project})
    assert f"/datasets/kept/items/{first.item_id}/" in html
    assert "has an item saved from here already" in html
    assert SaveItemForm(project, DRAFT, data | {"confirm": "on"}).is_valid()


def test_a_dataset_of_another_project_is_no_choice(
    project: Project, other_project: Project
) -> None:
    create_dataset(other_project, "Theirs")
    form = SaveItemForm(project, DRAFT, sent(SaveItemForm(project, DRAFT), dataset="theirs"))
    assert not form.is_valid()
    assert "dataset" in form.errors
