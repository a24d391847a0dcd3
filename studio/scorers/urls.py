"""Pages of scorers."""

from django.urls import path

from studio.scorers import check_views, item_views, views

app_name = "scorers"
urlpatterns = [
    path("", views.scorer_list, name="list"),
    path("new/", check_views.check_create, name="create"),
    path("trace/<str:trace_id>/", views.trace_scores, name="trace_scores"),
    path("<slug:slug>/", views.scorer_detail, name="detail"),
    path("<slug:slug>/edit/", check_views.check_edit, name="edit"),
    path("<slug:slug>/attach/", check_views.attach, name="attach"),
    path("<slug:slug>/detach/<int:pk>/", check_views.detach, name="detach"),
    path("<slug:slug>/scores/<int:pk>/", views.scorer_score, name="score"),
    path("<slug:slug>/scores/<int:pk>/save/", item_views.save_item, name="save_item"),
]
