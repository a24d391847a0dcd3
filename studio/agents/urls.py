"""Pages of agents and connections."""

from django.urls import path

from studio.agents import connection_views, views

app_name = "agents"
urlpatterns = [
    path("", views.agent_list, name="list"),
    path("new/", views.agent_create, name="create"),
    path("connections/", connection_views.connection_list, name="connections"),
    path("connections/new/", connection_views.connection_create, name="connection-create"),
    path("connections/<int:pk>/", connection_views.connection_edit, name="connection-edit"),
    path(
        "connections/<int:pk>/delete/", connection_views.connection_delete, name="connection-delete"
    ),
    path("<slug:slug>/", views.agent_detail, name="detail"),
    path("<slug:slug>/edit/", views.agent_edit, name="edit"),
]
