"""Datasets: the list, a dataset's items at a version, its versions, and its words."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from studio.datasets.forms import DatasetForm
from studio.datasets.models import Dataset, DatasetVersion
from studio.datasets.queries import (
    LISTED,
    datasets_for_list,
    item_page,
    items_at,
    version_at,
    versions_of,
)
from studio.datasets.save import create_dataset, edit_dataset
from studio.web.access import may, project_page
from studio.web.http import Request, render_page
from studio.web.paging import page_of

FORM_METHODS = ["GET", "HEAD", "POST"]
NEWEST_VERSIONS = 50


@project_page
@require_safe
def dataset_list(request: Request) -> HttpResponse:
    """All datasets of the project, those that a text or a tag selects."""
    q, tag = request.GET.get("q", "").strip(), request.GET.get("tag", "").strip()
    every = datasets_for_list(request.project)
    context = {
        "nav": "datasets",
        "datasets": datasets_for_list(request.project, q, tag) if q or tag else every,
        "tags": sorted({str(tag) for each in every for tag in each.tags}),
        "q": q,
        "tag": tag,
        "has_filters": bool(q or tag),
    }
    part = "datasets/_datasets.html"
    return render_page(request, "datasets/list.html", part=part, context=context)


@project_page(read="editor")
@require_http_methods(FORM_METHODS)
def dataset_create(request: Request) -> HttpResponse:
    """A form for a new dataset; only who may write sees it."""
    form = DatasetForm(request.project, request.POST or None)
    if request.method == "POST" and form.is_valid():
        dataset = create_dataset(request.project, author=request.user, **form.cleaned_data)
        messages.success(request, f"{dataset.name} is ready for its first items.")
        return redirect("datasets:detail", request.project.slug, dataset.slug)
    return form_page(
        request, form, "New dataset", reverse("datasets:list", args=[slug_of(request)])
    )


@project_page(read="editor")
@require_http_methods(FORM_METHODS)
def dataset_edit(request: Request, slug: str) -> HttpResponse:
    """Other words about a dataset."""
    dataset = dataset_or_404(request, slug)
    form = DatasetForm(request.project, request.POST or None, dataset=dataset)
    if request.method == "POST" and form.is_valid():
        edit_dataset(dataset, **form.cleaned_data)
        messages.success(request, "Saved.")
        return redirect("datasets:detail", request.project.slug, dataset.slug)
    return form_page(request, form, f"Edit {dataset.name}", url_of(request, dataset))


@project_page
@require_safe
def dataset_detail(request: Request, slug: str) -> HttpResponse:
    """A dataset's items at its newest version or an older one, the whole page or only #items."""
    dataset = dataset_or_404(request, slug)
    context = items_context(request, dataset)
    part = "datasets/_items.html"
    return render_page(request, "datasets/detail.html", part=part, context=context)


@project_page
@require_safe
def dataset_versions(request: Request, slug: str) -> HttpResponse:
    """Every version of a dataset: when, who, and what it changed."""
    dataset = dataset_or_404(request, slug)
    page = page_of(request.GET, versions_of(dataset))
    context = {"page": page, "tabs": tabs_of(request, dataset, "versions")}
    context |= base_context(request, dataset)
    return render_page(request, "datasets/versions.html", context=context)


def items_context(request: Request, dataset: Dataset) -> dict[str, Any]:
    """What the items of a page need: rows, version, and whether they may be changed."""
    version = version_or_404(dataset, request.GET.get("version"))
    q = request.GET.get("q", "").strip()
    rows = items_at(dataset, version.number, q).only(*LISTED)
    place = place_of(version, dataset, q)
    return base_context(request, dataset) | {
        "version": version,
        "is_newest": version.number == dataset.version_number,
        "page": item_page(request.GET, rows),
        "q": q,
        "has_filters": bool(q),
        "place_query": query_of(place),
        "versions": versions_of(dataset)[:NEWEST_VERSIONS],
        "tabs": tabs_of(request, dataset, "items"),
    }


def base_context(request: Request, dataset: Dataset) -> dict[str, Any]:
    """What every page of a dataset needs."""
    crumbs = [{"title": "Datasets", "url": reverse("datasets:list", args=[slug_of(request)])}]
    return {
        "nav": "datasets",
        "dataset": dataset,
        "crumbs": crumbs,
        "may_write": may(request.member, "editor"),
    }


def tabs_of(request: Request, dataset: Dataset, active: str) -> list[dict[str, Any]]:
    """Items and versions."""
    args = [slug_of(request), dataset.slug]
    made = {
        "items": ("Items", reverse("datasets:detail", args=args), dataset.item_count),
        "versions": ("Versions", reverse("datasets:versions", args=args), None),
    }
    return [
        {"title": title, "url": url, "count": count, "active": name == active}
        for name, (title, url, count) in made.items()
    ]


def place_of(version: DatasetVersion, dataset: Dataset, q: str) -> dict[str, str]:
    """The query that keeps version and search on every link."""
    older = {"version": str(version.number)} if version.number != dataset.version_number else {}
    return older | ({"q": q} if q else {})


def query_of(place: dict[str, str]) -> str:
    """The query string of a place."""
    return f"?{urlencode(place)}" if place else ""


def form_page(request: Request, form: DatasetForm, title: str, back: str) -> HttpResponse:
    """The page of a dataset's form, 422 when it was refused."""
    context = {"nav": "datasets", "form": form, "title": title, "back": back}
    status = 422 if form.is_bound else 200
    return render_page(request, "datasets/form.html", context=context, status=status)


def dataset_or_404(request: Request, slug: str) -> Dataset:
    """The project's dataset of this slug."""
    return get_object_or_404(Dataset, project=request.project, slug=slug)


def version_or_404(dataset: Dataset, text: str | None) -> DatasetVersion:
    """The version that a page asks for."""
    version = version_at(dataset, text)
    if version is None:
        raise Http404
    return version


def slug_of(request: Request) -> str:
    """The project's slug, for links."""
    slug: str = request.project.slug
    return slug


def url_of(request: Request, dataset: Dataset) -> str:
    """The address of a dataset."""
    return reverse("datasets:detail", args=[slug_of(request), dataset.slug])
