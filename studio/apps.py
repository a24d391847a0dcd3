"""The studio's own place in Django, beside its apps."""

from django.apps import AppConfig


class StudioConfig(AppConfig):
    """The commands and checks of the whole."""

    name = "studio"

    def ready(self) -> None:
        """Let Django check the installation when it starts."""
        from studio import system_checks  # noqa: F401
