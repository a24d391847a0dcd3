"""The datasets app's place in Django."""

from django.apps import AppConfig


class DatasetsConfig(AppConfig):
    """Datasets."""

    name = "studio.datasets"
    default_auto_field = "django.db.models.BigAutoField"
