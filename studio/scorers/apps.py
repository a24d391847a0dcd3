"""The scorers app's place in Django."""

from django.apps import AppConfig


class ScorersConfig(AppConfig):
    """Scorers."""

    name = "studio.scorers"
    default_auto_field = "django.db.models.BigAutoField"
