"""Forms for datasets, for saving an item from elsewhere, and for imports."""

from __future__ import annotations

from typing import Any

from django import forms

from studio.accounts.models import Project
from studio.datasets.draft import ItemDraft
from studio.datasets.item_form import ItemForm, tags_in
from studio.datasets.models import Dataset, DatasetItem
from studio.datasets.queries import name_taken, saved_before, saved_in_project
from studio.datasets.uploads import MAX_BYTES

NAME_HELP = "Unique in the project, for example “Refund questions”."


class DatasetForm(forms.Form):
    """What a dataset is called and about."""

    name = forms.CharField(max_length=120, help_text=NAME_HELP)
    description = forms.CharField(
        required=False, max_length=2000, widget=forms.Textarea(attrs={"rows": 3})
    )
    tags = forms.CharField(required=False, max_length=500, help_text="Separated by commas.")

    def __init__(
        self, project: Project, *args: Any, dataset: Dataset | None = None, **kwargs: Any
    ) -> None:
        self.project, self.dataset = project, dataset
        if dataset:
            shown = {"name": dataset.name, "description": dataset.description}
            kwargs["initial"] = shown | {"tags": ", ".join(dataset.tags)}
        super().__init__(*args, **kwargs)

    def clean_name(self) -> str:
        """A name that no other dataset has."""
        name: str = self.cleaned_data["name"]
        if name_taken(self.project, name, but=self.dataset):
            raise forms.ValidationError("Another dataset has this name.")
        return name

    def clean_tags(self) -> list[str]:
        """The tags, each once."""
        return tags_in(self.cleaned_data["tags"])


class TargetForm(forms.Form):
    """Where items go: a dataset that exists, or a new one by name."""

    dataset = forms.ModelChoiceField(
        Dataset.objects.none(), required=False, empty_label="New dataset", to_field_name="slug"
    )
    new_dataset = forms.CharField(
        required=False, max_length=120, label="Name of the new dataset", help_text=NAME_HELP
    )

    project: Project

    def for_project(self, project: Project) -> None:
        """Offer the project's datasets."""
        self.project = project
        field = self.fields["dataset"]
        assert isinstance(field, forms.ModelChoiceField)  # noqa: S101 - for the type checker
        field.queryset = Dataset.objects.filter(project=project).order_by("name")

    def check_target(self, said: dict[str, Any]) -> None:
        """Exactly one target: a new name counts only where no dataset is chosen."""
        if said.get("dataset") or "dataset" in self.errors:
            said["new_dataset"] = ""
            return
        name = said.get("new_dataset", "").strip()
        if not name:
            self.add_error("new_dataset", "Choose a dataset, or name a new one.")
        elif name_taken(self.project, name):
            self.add_error("new_dataset", "A dataset of this name exists; choose it above.")


class SaveItemForm(TargetForm, ItemForm):
    """An item to save from a score or a trial, prefilled so that it can be run again."""

    confirm = forms.BooleanField(
        required=False, label="Save it once more", help_text="It was already saved from here."
    )
    field_order = ["dataset", "new_dataset"]

    def __init__(self, project: Project, draft: ItemDraft, data: Any = None) -> None:
        super().__init__(draft, data)
        self.for_project(project)
        self.earlier = saved_in_project(project, draft.source_key)
        self.duplicate: DatasetItem | None = None

    def clean(self) -> dict[str, Any]:
        """The item and its place; a repeat must be confirmed."""
        said = super().clean()
        self.check_target(said)
        dataset = said.get("dataset")
        self.duplicate = saved_before(dataset, self.shown.source_key) if dataset else None
        if self.duplicate and not said.get("confirm"):
            self.add_error("confirm", f"“{dataset}” has an item saved from here already.")
        return said


class UploadForm(TargetForm):
    """A file or a pasted text, and where its items go."""

    file = forms.FileField(
        required=False,
        label="File",
        help_text="CSV, JSON Lines or a JSON array, up to 20 MiB.",
        widget=forms.ClearableFileInput(attrs={"accept": ".csv,.tsv,.txt,.jsonl,.ndjson,.json"}),
    )
    paste = forms.CharField(
        required=False,
        strip=False,
        label="Or paste rows",
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
        help_text="With a header line for CSV, one object a line for JSON Lines.",
    )

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.for_project(project)

    def clean(self) -> dict[str, Any]:
        """One source of at most 20 MiB, as bytes in `data`, and one target."""
        said = super().clean() or {}
        self.check_target(said)
        file, paste = said.get("file"), said.get("paste") or ""
        if file and paste.strip():
            self.add_error("paste", "Give a file or pasted rows, not both.")
        elif file:
            self.take("file", file.size, file.read(MAX_BYTES + 1))
        elif paste.strip():
            data = paste.replace("\r\n", "\n").encode("utf-8", "replace")
            self.take("paste", len(data), data)
        elif "file" not in self.errors:
            self.add_error("file", "Choose a file or paste some rows.")
        return said

    def take(self, name: str, size: int, data: bytes) -> None:
        """Keep the bytes, unless there are too many."""
        if size > MAX_BYTES:
            words = f"This is {size / 2**20:.1f} MiB; an import takes up to 20 MiB. Split the file."
            self.add_error(name, words)
        else:
            self.cleaned_data["data"] = data
