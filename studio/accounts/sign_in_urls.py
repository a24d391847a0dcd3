"""Pages outside any project."""

from django.contrib.auth.views import LogoutView
from django.urls import path

from studio.accounts import views

urlpatterns = [
    path("sign-in/", views.SignIn.as_view(), name="sign-in"),
    path("sign-in/<str:token>/", views.sign_in_link, name="sign-in-link"),
    path("sign-out/", LogoutView.as_view(), name="sign-out"),
    path("password/", views.password, name="password"),
    path("projects/new/", views.project_create, name="project-create"),
]
