"""Every page and the API, on one screen."""

from django.urls import URLPattern, URLResolver, include, path
from drf_spectacular.views import SpectacularAPIView

from studio.accounts.views import start
from studio.experiments.home_views import home
from studio.experiments.search_views import search
from studio.web.api_docs import ApiDocs
from studio.web.health import live, ready

PROJECT: list[URLPattern | URLResolver] = [
    path("", home, name="home"),
    path("search/", search, name="search"),
    path("agents/", include("studio.agents.urls")),
    path("scorers/", include("studio.scorers.urls")),
    path("datasets/", include("studio.datasets.urls")),
    path("experiments/", include("studio.experiments.urls")),
    path("traces/", include("studio.traces.urls")),
    path("settings/", include("studio.accounts.urls")),
]
API: list[URLPattern | URLResolver] = [
    path("agents/", include("studio.agents.api")),
    path("scorers/", include("studio.scorers.api")),
    path("datasets/", include("studio.datasets.api")),
    path("experiments/", include("studio.experiments.api")),
    path("traces/", include("studio.traces.api")),
]
urlpatterns = [
    path("", start, name="start"),
    path("", include("studio.accounts.sign_in_urls")),
    path("health/live", live, name="live"),
    path("health/ready", ready, name="ready"),
    path("p/<slug:project>/", include(PROJECT)),
    path("api/v1/projects/<slug:project>/", include(API)),
    path("api/v1/", include("studio.accounts.api")),
    path("api/v1/schema/", SpectacularAPIView.as_view(), name="schema"),
    path("api/v1/docs/", ApiDocs.as_view(url_name="schema"), name="api-docs"),
]
