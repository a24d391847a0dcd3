"""The experiments app's place in Django."""

from django.apps import AppConfig


class ExperimentsConfig(AppConfig):
    """Experiments."""

    name = "studio.experiments"
    default_auto_field = "django.db.models.BigAutoField"
