"""Pages of experiments, their trials, and an agent's Evaluate tab."""

from django.urls import path

from studio.experiments import evaluate_views, trial_views, views

app_name = "experiments"
urlpatterns = [
    path("", views.experiment_list, name="list"),
    path("new/", views.experiment_create, name="create"),
    path("new/plan/", views.experiment_plan, name="plan"),
    path("agents/<slug:slug>/", evaluate_views.agent_evaluate, name="evaluate"),
    path("<int:pk>/", views.experiment_detail, name="detail"),
    path("<int:pk>/progress/", views.experiment_progress, name="progress"),
    path("<int:pk>/cancel/", views.experiment_cancel, name="cancel"),
    path("<int:pk>/trials/<int:trial_pk>/", trial_views.trial_detail, name="trial"),
    path(
        "<int:pk>/trials/<int:trial_pk>/save/", trial_views.trial_save_item, name="trial_save_item"
    ),
]
