"""The API of datasets: read, create, change items in batches, import files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.urls import path
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import exceptions, serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from studio.datasets.draft import draft_of
from studio.datasets.importing import ImportRefused, import_into, plan_import
from studio.datasets.mapping import guess_mapping
from studio.datasets.models import Dataset, DatasetItem, DatasetVersion
from studio.datasets.queries import item_page, items_at, name_taken, version_at, versions_of
from studio.datasets.reading import FileRefused, detect, read_table
from studio.datasets.save import (
    DatasetRefused,
    IdentityConflict,
    add_items,
    create_dataset,
    delete_items,
    edit_dataset,
    update_item,
)
from studio.datasets.serializers_api import (
    DatasetPageSerializer,
    DatasetSerializer,
    DeleteSerializer,
    ImportSerializer,
    ItemPageSerializer,
    ItemSerializer,
    ItemsSerializer,
    SummarySerializer,
    VersionPageSerializer,
    VersionSerializer,
    draft_from,
    format_from,
)
from studio.datasets.uploads import MAX_BYTES
from studio.web.rest import PAGE_PARAMETERS, Problem, ProjectView, get_or_404

VERSION = OpenApiParameter("version", int, description="A version's number; default the newest.")
SEARCH = OpenApiParameter("q", str, description="Text in the input, the ground truth or the id.")
EXTERNAL_ID = OpenApiParameter("external_id", str, description="Items of this external id.")
TAGS = ["datasets"]


class Conflict(exceptions.ValidationError):
    """The change collides with what is there."""

    status_code = 409


@contextmanager
def refusals() -> Iterator[None]:
    """A refused change as 409, with the reason of every item by its index."""
    try:
        yield
    except IdentityConflict as error:
        raise Conflict({str(index): [why] for index, why in error.details.items()}) from error
    except DatasetRefused as error:
        raise Conflict({"items": [str(error)]}) from error


def checked(serializer: serializers.BaseSerializer[Any]) -> dict[str, Any]:
    """The values of a body that is accepted; a body that is not is a 400."""
    serializer.is_valid(raise_exception=True)
    values: dict[str, Any] = serializer.validated_data
    return values


def refuse_taken_name(project: Any, name: str, but: Dataset | None = None) -> None:
    """A name belongs to one dataset of a project."""
    if name_taken(project, name, but):
        raise exceptions.ValidationError({"name": ["Another dataset has this name."]})


class DatasetView(ProjectView):
    """A view of one dataset."""

    def dataset(self, slug: str) -> Dataset:
        """The project's dataset of this slug."""
        found = get_or_404(Dataset.objects.filter(project=self.project), slug=slug)
        assert isinstance(found, Dataset)  # noqa: S101 - for the type checker
        return found

    def version(self, dataset: Dataset) -> DatasetVersion:
        """The version that the query asks for."""
        version = version_at(dataset, self.request.query_params.get("version"))
        if version is None:
            raise exceptions.NotFound
        return version


class DatasetList(ProjectView):
    """All datasets of a project."""

    @extend_schema(
        operation_id="datasets_list", parameters=PAGE_PARAMETERS, tags=TAGS,
        responses=DatasetPageSerializer,
    )  # fmt: skip
    def get(self, request: Request, project: str) -> Response:
        """The project's datasets, the youngest first."""
        return self.page(Dataset.objects.filter(project=self.project), DatasetSerializer)

    @extend_schema(
        operation_id="datasets_create", request=DatasetSerializer, tags=TAGS,
        responses={201: DatasetSerializer},
    )  # fmt: skip
    def post(self, request: Request, project: str) -> Response:
        """Make a dataset; it begins empty, at version 0."""
        said = checked(DatasetSerializer(data=request.data))
        refuse_taken_name(self.project, said["name"])
        dataset = create_dataset(self.project, author=request.user, **said)
        return Response(DatasetSerializer(dataset).data, status=201)


class DatasetDetail(DatasetView):
    """One dataset."""

    @extend_schema(operation_id="datasets_read", responses=DatasetSerializer, tags=TAGS)
    def get(self, request: Request, project: str, slug: str) -> Response:
        """Its words, its newest version and how many items that has."""
        return Response(DatasetSerializer(self.dataset(slug)).data)

    @extend_schema(
        operation_id="datasets_update", request=DatasetSerializer, responses=DatasetSerializer,
        tags=TAGS,
    )  # fmt: skip
    def patch(self, request: Request, project: str, slug: str) -> Response:
        """Change its name, description or tags; items and versions stay."""
        dataset = self.dataset(slug)
        said = checked(DatasetSerializer(dataset, data=request.data, partial=True))
        if "name" in said:
            refuse_taken_name(self.project, said["name"], dataset)
        words = {key: getattr(dataset, key) for key in ("name", "description", "tags")}
        return Response(DatasetSerializer(edit_dataset(dataset, **words | said)).data)


class VersionList(DatasetView):
    """The versions of a dataset."""

    @extend_schema(
        operation_id="datasets_versions", parameters=PAGE_PARAMETERS, tags=TAGS,
        responses=VersionPageSerializer,
    )  # fmt: skip
    def get(self, request: Request, project: str, slug: str) -> Response:
        """Every version, newest first, with what it changed."""
        return self.page(versions_of(self.dataset(slug)), VersionSerializer)


class ItemList(DatasetView):
    """The items of a dataset."""

    @extend_schema(
        operation_id="dataset_items_list", tags=TAGS, responses=ItemPageSerializer,
        parameters=[*PAGE_PARAMETERS, VERSION, SEARCH, EXTERNAL_ID],
    )  # fmt: skip
    def get(self, request: Request, project: str, slug: str) -> Response:
        """The items that a version shows, as they were added; pages go by position."""
        dataset, params = self.dataset(slug), request.query_params
        rows = items_at(dataset, self.version(dataset).number, params.get("q", ""))
        if "external_id" in params:
            name = params["external_id"]
            rows = rows.none() if "\0" in name else rows.filter(external_id=name)
        page = item_page(params, rows)
        data = ItemSerializer(page.rows, many=True).data
        return Response({"results": data, "next": page.older, "previous": page.newer})

    @extend_schema(
        operation_id="dataset_items_add", request=ItemsSerializer, tags=TAGS,
        responses={201: VersionSerializer, 200: VersionSerializer, 409: Problem},
    )  # fmt: skip
    def post(self, request: Request, project: str, slug: str) -> Response:
        """Add a batch as one version; what is there already with equal content is left alone."""
        dataset = self.dataset(slug)
        said = checked(ItemsSerializer(data=request.data))
        drafts, before = [draft_from(each) for each in said["items"]], dataset.version_number
        with refusals():
            version = add_items(dataset, drafts, request.user, said.get("note", ""))
        status = 201 if version.number != before else 200
        return Response(VersionSerializer(version).data, status=status)


class ItemsDelete(DatasetView):
    """Items to leave out."""

    @extend_schema(
        operation_id="dataset_items_delete", request=DeleteSerializer, tags=TAGS,
        responses=VersionSerializer,
    )  # fmt: skip
    def post(self, request: Request, project: str, slug: str) -> Response:
        """Leave a batch of items out of one new version; unknown ids are passed over."""
        dataset = self.dataset(slug)
        said = checked(DeleteSerializer(data=request.data))
        version = delete_items(dataset, said["item_ids"], request.user)
        return Response(VersionSerializer(version).data)


class ItemDetail(DatasetView):
    """One item."""

    @extend_schema(
        operation_id="dataset_items_read", parameters=[VERSION], responses=ItemSerializer, tags=TAGS
    )
    def get(self, request: Request, project: str, slug: str, item_id: str) -> Response:
        """The item as a version shows it."""
        dataset = self.dataset(slug)
        return Response(ItemSerializer(self.item(dataset, item_id)).data)

    @extend_schema(
        operation_id="dataset_items_update", request=ItemSerializer, tags=TAGS,
        responses={200: ItemSerializer, 409: Problem},
    )  # fmt: skip
    def patch(self, request: Request, project: str, slug: str, item_id: str) -> Response:
        """Change the fields that are given, as a new version; no change makes none."""
        dataset = self.dataset(slug)
        row = get_or_404(items_at(dataset, dataset.version_number), item_id=item_id)
        assert isinstance(row, DatasetItem)  # noqa: S101 - for the type checker
        said = checked(ItemSerializer(data=request.data, partial=True))
        with refusals():
            update_item(dataset, item_id, draft_from(said, draft_of(row)), request.user)
        return Response(ItemSerializer(self.item(dataset, item_id)).data)

    @extend_schema(operation_id="dataset_items_delete_one", responses=VersionSerializer, tags=TAGS)
    def delete(self, request: Request, project: str, slug: str, item_id: str) -> Response:
        """Leave the item out of a new version; older versions keep it."""
        dataset = self.dataset(slug)
        get_or_404(items_at(dataset, dataset.version_number), item_id=item_id)
        return Response(VersionSerializer(delete_items(dataset, [item_id], request.user)).data)

    def item(self, dataset: Dataset, item_id: str) -> Any:
        """The item at the version that the query asks for."""
        rows = items_at(dataset, self.version(dataset).number)
        return get_or_404(rows, item_id=item_id)


class ImportView(DatasetView):
    """A file of items."""

    parser_classes = (MultiPartParser,)

    @extend_schema(
        operation_id="datasets_import", request=ImportSerializer, responses=SummarySerializer,
        tags=TAGS,
    )  # fmt: skip
    def post(self, request: Request, project: str, slug: str) -> Response:
        """Import CSV, JSON Lines or a JSON array as one version; a known external id updates."""
        dataset = self.dataset(slug)
        said = checked(ImportSerializer(data=request.data))
        file = said["file"]
        if file.size > MAX_BYTES:
            raise exceptions.ValidationError({"file": ["An import takes up to 20 MiB."]})
        data = file.read()
        try:
            table = read_table(data, format_from(said, detect(data, file.name)))
            mapping = said.get("mapping") or guess_mapping(table.columns)
            plan = plan_import(table, mapping, skip_duplicates=said["skip_duplicates"])
            summary = import_into(
                self.project,
                plan,
                request.user,
                dataset_slug=dataset.slug,
                new_name="",
                good_rows_only=said["policy"] == "good",
                note=f"imported from {file.name}",
            )
        except (FileRefused, ImportRefused) as error:
            raise exceptions.ValidationError({"file": [str(error)]}) from error
        return Response(SummarySerializer(summary).data)


urlpatterns = [
    path("", DatasetList.as_view(), name="api-datasets"),
    path("<slug:slug>/", DatasetDetail.as_view(), name="api-dataset"),
    path("<slug:slug>/versions/", VersionList.as_view(), name="api-dataset-versions"),
    path("<slug:slug>/import/", ImportView.as_view(), name="api-dataset-import"),
    path("<slug:slug>/items/", ItemList.as_view(), name="api-dataset-items"),
    path("<slug:slug>/items/delete/", ItemsDelete.as_view(), name="api-dataset-items-delete"),
    path("<slug:slug>/items/<str:item_id>/", ItemDetail.as_view(), name="api-dataset-item"),
]
