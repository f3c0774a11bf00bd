"""Static files, served from ASGI before Django: from STATIC_ROOT, or from the apps' folders.

WhiteNoise decides (types, ETag, ranges, compressed variants). It is for WSGI; this module adapts it
to ASGI.
"""

import os
import re
from pathlib import Path
from wsgiref.headers import Headers

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from whitenoise import WhiteNoise
from whitenoise.responders import StaticFile

_HASHED = re.compile(r"\.[0-9a-f]{12}\.\w+$")  # names made by poolsite.api.static_names
_ASKED = {
    b"accept-encoding": "HTTP_ACCEPT_ENCODING",
    b"if-modified-since": "HTTP_IF_MODIFIED_SINCE",
    b"if-none-match": "HTTP_IF_NONE_MATCH",
    b"range": "HTTP_RANGE",
}


def static_files(default: ASGIApp) -> ASGIApp:
    """Answer requests under STATIC_URL and pass all others to `default`.

    A browser may cache a name with a hash forever. It requests any other name again each time.
    """
    prefix = "/" + str(settings.STATIC_URL).strip("/") + "/"
    files = _Files(prefix)

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if not scope["path"].startswith(prefix):
            await default(scope, receive, send)
            return
        file = files.named(scope["path"])
        response = PlainTextResponse("Not Found", 404) if file is None else _answer(file, scope)
        await response(scope, receive, send)

    return serve


class _Files(WhiteNoise):
    """The collected files. If there are none (development, tests), the apps' own folders."""

    def __init__(self, prefix: str) -> None:
        collected = Path(settings.STATIC_ROOT)
        use_collected = collected.is_dir() and not settings.DEBUG
        super().__init__(
            application=None,
            autorefresh=not use_collected,
            max_age=0,
            allow_all_origins=False,
            add_headers_function=_add_headers,
            immutable_file_test=_HASHED.pattern,
        )
        # The folder that was added last is searched first.
        for folder in [collected] if use_collected else reversed(_folders_of_apps()):
            self.add_files(os.fspath(folder), prefix=prefix)
        if use_collected:  # the folders that find_file searches
            self.directories = [(f"{collected}{os.sep}", prefix)]

    def named(self, path: str) -> StaticFile | None:
        """Return the file of a path, or None if it does not exist.

        A file that was added after this process began is looked up: during an upgrade a page of the
        new release may request it from a process of the old one.
        """
        found = self.files.get(path)
        if found is None:
            found = self.find_file(path)
            if found is not None and not self.autorefresh:
                self.files[path] = found
        return found


def _folders_of_apps() -> list[Path]:
    return [
        Path(storage.location)
        for finder in get_finders()
        for storage in getattr(finder, "storages", {}).values()
    ]


def _add_headers(headers: Headers, path: str, url: str) -> None:
    headers["X-Content-Type-Options"] = "nosniff"


def _answer(file: StaticFile, scope: Scope) -> Response:
    asked = {
        _ASKED[name]: value.decode("latin-1") for name, value in scope["headers"] if name in _ASKED
    }
    found = file.get_response(scope["method"], asked)
    content = b""
    if found.file is not None:
        with found.file:  # up to some 100 kB, and in the system's cache: read at once
            content = found.file.read()
    return Response(content, found.status, dict(found.headers))
