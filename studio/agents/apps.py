"""The agents app's place in Django."""

from django.apps import AppConfig


class AgentsConfig(AppConfig):
    """Agents."""

    name = "studio.agents"
    default_auto_field = "django.db.models.BigAutoField"
