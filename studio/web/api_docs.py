"""The page on which people read and try the API."""

from __future__ import annotations

from typing import Any

from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework.request import Request
from rest_framework.response import Response

from studio.web.security import POLICY

# Swagger's own page holds one style element, so styles alone are opened, and here alone.
DOCS_POLICY = POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")


class ApiDocs(SpectacularSwaggerSplitView):
    """Swagger, with its script in a file of its own as our policy wants it."""

    def finalize_response(
        self, request: Request, response: Response, *args: Any, **kwargs: Any
    ) -> Response:
        """The page with its own policy."""
        answer: Response = super().finalize_response(request, response, *args, **kwargs)
        answer.headers["Content-Security-Policy"] = DOCS_POLICY
        return answer
