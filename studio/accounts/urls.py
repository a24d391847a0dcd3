"""Pages of a project's settings."""

from django.urls import path

from studio.accounts import views

app_name = "accounts"
urlpatterns = [
    path("", views.settings, name="settings"),
    path("tokens/", views.token_create, name="token-create"),
    path("tokens/<int:pk>/revoke/", views.token_revoke, name="token-revoke"),
    path("members/", views.member_save, name="member-save"),
    path("members/<int:pk>/remove/", views.member_remove, name="member-remove"),
    path("audit/", views.audit_list, name="audit"),
]
