"""Pages of traces."""

from django.urls import path

from studio.traces import views

app_name = "traces"
urlpatterns = [
    path("", views.trace_list, name="list"),
    path("<slug:trace_id>/", views.trace_detail, name="detail"),
]
