"""The traces app's place in Django."""

from django.apps import AppConfig


class TracesConfig(AppConfig):
    """Traces."""

    name = "studio.traces"
    default_auto_field = "django.db.models.BigAutoField"
