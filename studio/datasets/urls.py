"""Pages of datasets, their items and imports."""

from django.urls import path

from studio.datasets import import_views, item_views, views

app_name = "datasets"
urlpatterns = [
    path("", views.dataset_list, name="list"),
    path("create/", views.dataset_create, name="create"),
    path("import/", import_views.import_upload, name="import"),
    path("import/<str:key>/", import_views.import_map, name="import_map"),
    path("<slug:slug>/", views.dataset_detail, name="detail"),
    path("<slug:slug>/edit/", views.dataset_edit, name="edit"),
    path("<slug:slug>/versions/", views.dataset_versions, name="versions"),
    path("<slug:slug>/items/add/", item_views.item_add, name="item_add"),
    path("<slug:slug>/items/<str:item_id>/", item_views.item_detail, name="item"),
    path("<slug:slug>/items/<str:item_id>/edit/", item_views.item_edit, name="item_edit"),
    path("<slug:slug>/items/<str:item_id>/delete/", item_views.item_delete, name="item_delete"),
]
