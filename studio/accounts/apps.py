"""The accounts app's place in Django."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Accounts."""

    name = "studio.accounts"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Tell OpenAPI of our tokens, and keep the record of sign-ins."""
        from studio.accounts import schema, signals  # noqa: F401
