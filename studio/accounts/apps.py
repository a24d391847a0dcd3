"""The accounts app's place in Django."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Accounts."""

    name = "studio.accounts"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Keep the record of sign-ins."""
        from studio.accounts import signals  # noqa: F401
