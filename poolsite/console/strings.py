"""The texts of the pages' scripts: one script per language, cached by browsers until a text
changes.

Served before Django, like the static files that use them.
"""

import gzip
import hashlib
from dataclasses import dataclass
from functools import cache

from django.conf import settings
from django.http import HttpRequest
from django.utils import translation
from django.views.i18n import JavaScriptCatalog
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from poolsite.api import lane

_PATH = "/strings/{language}.js"
_KEEP = "public, max-age=31536000, immutable"
_ASK_AGAIN = "public, no-cache"


@dataclass(frozen=True)
class Strings:
    """Django's catalogue of one language as a script, also compressed, and its hash."""

    script: bytes
    compressed: bytes
    version: str


def register() -> None:
    """Serve the scripts before Django. Call this once, in AppConfig.ready()."""
    lane.register(_PATH, serve_strings, methods=("GET", "HEAD"))


def strings_address() -> str:
    """Return the URL of the active language's script. It changes when a text changes."""
    language = translation.get_language() or settings.LANGUAGE_CODE
    return f"{_PATH.format(language=language)}?v={_strings(language).version}"


async def serve_strings(request: Request) -> Response:
    """Return the script of one of the console's languages, otherwise 404.

    A URL of the current version is cached forever. Another version's URL (on a page of the previous
    release) is not.
    """
    language = request.path_params["language"]
    if language not in dict(settings.LANGUAGES):
        return PlainTextResponse("Not Found", 404)
    strings = _strings(language)
    headers = {
        "Cache-Control": _KEEP if request.query_params.get("v") == strings.version else _ASK_AGAIN,
        "Vary": "Accept-Encoding",
        "X-Content-Type-Options": "nosniff",
    }
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(strings.script, 200, headers, "text/javascript")
    headers["Content-Encoding"] = "gzip"
    return Response(strings.compressed, 200, headers, "text/javascript")


@cache
def _strings(language: str) -> Strings:
    with translation.override(language):
        script = JavaScriptCatalog().get(HttpRequest()).content
    return Strings(script, gzip.compress(script), hashlib.sha256(script).hexdigest()[:12])
