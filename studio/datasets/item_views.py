"""One item: its panel, and the forms that change it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from studio.datasets.draft import draft_of
from studio.datasets.item_form import ItemForm
from studio.datasets.models import Dataset, DatasetItem
from studio.datasets.queries import items_at, neighbours
from studio.datasets.save import DatasetRefused, add_items, delete_items, update_item
from studio.datasets.views import (
    FORM_METHODS,
    base_context,
    dataset_or_404,
    place_of,
    query_of,
    slug_of,
    url_of,
    version_or_404,
)
from studio.web.access import project_page
from studio.web.http import Request, render_page


@project_page
@require_safe
def item_detail(request: Request, slug: str, item_id: str) -> HttpResponse:
    """An item as the version shows it: the panel, or a page of its own."""
    dataset = dataset_or_404(request, slug)
    version = version_or_404(dataset, request.GET.get("version"))
    item = get_object_or_404(items_at(dataset, version.number), item_id=item_id)
    q = request.GET.get("q", "").strip()
    place = place_of(version, dataset, q)
    before, after = neighbours(items_at(dataset, version.number, q), item)
    context = base_context(request, dataset) | {
        "item": item,
        "version": version,
        "is_newest": version.number == dataset.version_number,
        "close": url_of(request, dataset) + query_of(place),
        "prev_url": item_url(request, dataset, before, place),
        "next_url": item_url(request, dataset, after, place),
        "delete_text": f"Version {dataset.version_number} and older keep this item.",
    }
    part = "datasets/_item.html"
    return render_page(request, "datasets/item.html", part=part, context=context)


@project_page(read="editor")
@require_http_methods(FORM_METHODS)
def item_add(request: Request, slug: str) -> HttpResponse:
    """A form for one more item."""
    dataset = dataset_or_404(request, slug)
    form = ItemForm(data=request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            version = add_items(dataset, [form.draft()], request.user, note="added by hand")
        except DatasetRefused as error:
            form.add_error("external_id", str(error))
        else:
            messages.success(request, f"Added in version {version.number}.")
            return redirect(url_of(request, dataset))
    return form_page(request, dataset, form, "Add an item", url_of(request, dataset))


@project_page(read="editor")
@require_http_methods(FORM_METHODS)
def item_edit(request: Request, slug: str, item_id: str) -> HttpResponse:
    """A form for an item of the newest version."""
    dataset = dataset_or_404(request, slug)
    row = current_or_404(dataset, item_id)
    back = str(item_url(request, dataset, item_id, {}))
    form = ItemForm(draft_of(row), request.POST or None)
    if request.method == "POST" and form.is_valid():
        before = dataset.version_number
        try:
            version = update_item(dataset, item_id, form.draft(), request.user, "edited by hand")
        except DatasetRefused as error:
            form.add_error("external_id", str(error))
        else:
            saved = f"Saved as version {version.number}."
            messages.success(request, saved if version.number != before else "Nothing changed.")
            return redirect(back)
    return form_page(request, dataset, form, "Edit item", back)


@project_page
@require_POST
def item_delete(request: Request, slug: str, item_id: str) -> HttpResponse:
    """Leave an item out of a new version."""
    dataset = dataset_or_404(request, slug)
    current_or_404(dataset, item_id)
    version = delete_items(dataset, [item_id], request.user, note="deleted by hand")
    messages.success(request, f"Deleted in version {version.number}; older versions keep it.")
    return redirect(url_of(request, dataset))


def form_page(
    request: Request, dataset: Dataset, form: ItemForm, title: str, back: str
) -> HttpResponse:
    """The page of an item's form, 422 when it was refused."""
    context: dict[str, Any] = base_context(request, dataset)
    context["crumbs"] += [{"title": dataset.name, "url": url_of(request, dataset)}]
    context |= {"form": form, "title": title, "back": back}
    context["next_version"] = dataset.version_number + 1
    status = 422 if form.is_bound else 200
    return render_page(request, "datasets/item_form.html", context=context, status=status)


def current_or_404(dataset: Dataset, item_id: str) -> DatasetItem:
    """The item as the newest version shows it."""
    rows = DatasetItem.objects.filter(dataset=dataset).current()
    return get_object_or_404(rows, item_id=item_id)


def item_url(
    request: Request, dataset: Dataset, item_id: str | None, place: dict[str, str]
) -> str | None:
    """The address of an item within the list it is read in."""
    if item_id is None:
        return None
    args = [slug_of(request), dataset.slug, item_id]
    return reverse("datasets:item", args=args) + query_of(place)
