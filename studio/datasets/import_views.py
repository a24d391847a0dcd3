"""The import of a file: upload it, say what its columns are, look, import."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from studio.datasets.forms import UploadForm
from studio.datasets.importing import ImportRefused, Plan, import_into, plan_import
from studio.datasets.mapping import guess_mapping
from studio.datasets.mapping_form import FormatForm, MappingForm
from studio.datasets.reading import FileRefused, Format, Table, detect, read_table
from studio.datasets.uploads import Upload, drop_upload, find_upload, keep_upload
from studio.datasets.views import FORM_METHODS, slug_of
from studio.web.access import project_page
from studio.web.http import Request, render_page

PREVIEWED = 5
SHOWN_FAULTS = 100


@dataclass
class Step:
    """The second step: the file as it is read, and what its rows would become."""

    upload: Upload
    detected: Format
    format: Format
    format_form: FormatForm
    table: Table | None = None
    form: MappingForm | None = None
    plan: Plan | None = None
    trouble: str = ""


@project_page(read="editor")
@require_http_methods(FORM_METHODS)
def import_upload(request: Request) -> HttpResponse:
    """First step: a file or pasted rows, and where they go."""
    initial = {"dataset": request.GET.get("dataset")}
    data = request.POST if request.method == "POST" else None
    form = UploadForm(request.project, data, request.FILES or None, initial=initial)
    if data is not None and form.is_valid():
        said = form.cleaned_data
        key = keep_upload(
            request.project.pk,
            request.user.pk,
            said["data"],
            name=said["file"].name if said["file"] else "pasted rows",
            dataset=said["dataset"].slug if said["dataset"] else "",
            new_name=said["new_dataset"],
        )
        return redirect("datasets:import_map", slug_of(request), key)
    context = {"form": form} | base(request)
    status = 422 if data is not None else 200
    return render_page(request, "datasets/import_upload.html", context=context, status=status)


@project_page(read="editor")
@require_http_methods(FORM_METHODS)
def import_map(request: Request, key: str) -> HttpResponse:
    """Second step: the columns and a preview; then the import and its summary."""
    upload = find_upload(request.project.pk, request.user.pk, key)
    if upload is None:
        messages.warning(request, "That upload is over: uploads are kept for an hour. Try again.")
        return redirect("datasets:import", slug_of(request))
    step = step_of(upload, request.POST if request.method == "POST" else None)
    wants_import = request.method == "POST" and request.POST.get("action") == "import"
    if wants_import and step.plan is not None and not step.trouble:
        try:
            return imported(request, step, request.POST.get("policy") == "good")
        except ImportRefused as error:
            step.trouble = str(error)
    context = step_context(step) | base(request)
    status = 422 if step.trouble and request.method == "POST" else 200
    return render_page(request, "datasets/import_map.html", context=context, status=status)


def step_of(upload: Upload, data: Any) -> Step:
    """Read the file as asked and plan the import; what goes wrong is said in `trouble`."""
    detected = detect(upload.data, upload.name)
    format_form = FormatForm(data) if data is not None else FormatForm.of(detected)
    wanted = format_form.format(detected) if data is not None else detected
    step = Step(upload, detected, wanted, format_form)
    try:
        step.table = read_table(upload.data, wanted)
        guess = guess_mapping(step.table.columns)
        # Columns of another reading are other columns: their choices start anew.
        same = data is not None and data.get("columns") == signature(step.table)
        step.form = MappingForm(step.table, guess, data if same else None)
        if step.form.is_bound and not step.form.is_valid():
            raise ImportRefused("Some choices are missing.")
        skip = step.form.is_bound and step.form.cleaned_data["skip_duplicates"]
        step.plan = plan_import(step.table, step.form.mapping(guess), skip_duplicates=skip)
        if data is not None and not same and data.get("action") == "import":
            raise ImportRefused("The columns changed. Look at the preview, then import.")
    except (FileRefused, ImportRefused) as error:
        step.trouble = str(error)
    return step


def imported(request: Request, step: Step, good_rows_only: bool) -> HttpResponse:
    """Import the plan and show what it did; raises `ImportRefused` and then leaves nothing."""
    upload, plan = step.upload, step.plan
    assert plan is not None  # noqa: S101 - for the type checker
    summary = import_into(
        request.project,
        plan,
        request.user,
        dataset_slug=upload.dataset,
        new_name=upload.new_name,
        good_rows_only=good_rows_only,
        note=f"imported from {upload.name}",
    )
    drop_upload(upload.key)
    context = base(request) | {
        "summary": summary,
        "dataset": summary.version.dataset,
        "faults": summary.faults[:SHOWN_FAULTS],
        "warnings": summary.warnings[:SHOWN_FAULTS],
    }
    return render_page(request, "datasets/import_done.html", context=context)


def step_context(step: Step) -> dict[str, Any]:
    """What the second step shows."""
    plan, table = step.plan, step.table
    return {
        "upload": step.upload,
        "detected": step.detected,
        "format_form": step.format_form,
        "form": step.form,
        "trouble": step.trouble,
        "signature": signature(table) if table else "",
        "rows": len(table.rows) if table else 0,
        "plan": plan,
        "drafts": plan.drafts[:PREVIEWED] if plan else [],
        "faults": plan.faults[:SHOWN_FAULTS] if plan else [],
        "warnings": plan.warnings[:SHOWN_FAULTS] if plan else [],
    }


def signature(table: Table) -> str:
    """The columns in one short text, to see whether choices were made for these."""
    return sha256("\0".join(table.columns).encode("utf-8", "replace")).hexdigest()[:16]


def base(request: Request) -> dict[str, Any]:
    """What every step needs."""
    crumbs = [{"title": "Datasets", "url": reverse("datasets:list", args=[slug_of(request)])}]
    return {"nav": "datasets", "crumbs": crumbs}
