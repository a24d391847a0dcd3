"""What OpenAPI says of our way to sign in."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """`Authorization: Bearer es_…`."""

    target_class = "studio.accounts.tokens.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        """A bearer token."""
        return {"type": "http", "scheme": "bearer"}
