"""Static files, served from ASGI before Django: from STATIC_ROOT, or where the apps keep them."""

import os
import re
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

_HASHED = re.compile(r"\.[0-9a-f]{12}\.\w+$")  # names made by Django's manifest storage


class _Files(StaticFiles):
    """Starlette's, with our places and cache headers."""

    def file_response(
        self, full_path: Any, stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        hashed = _HASHED.search(os.fspath(full_path))
        response.headers["Cache-Control"] = (
            "public, max-age=31536000, immutable" if hashed else "public, no-cache"
        )
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response


def static_files(default: ASGIApp) -> ASGIApp:
    """Answer STATIC_URL, hand everything else to `default`."""
    prefix = "/" + str(settings.STATIC_URL).strip("/") + "/"
    files = _Files()
    files.all_directories = list(_directories())

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        if not path.startswith(prefix):
            await default(scope, receive, send)
            return
        try:
            response = await files.get_response(path[len(prefix) :], scope)
        except HTTPException as error:
            response = PlainTextResponse(
                error.detail, status_code=error.status_code, headers=error.headers
            )
        await response(scope, receive, send)

    return serve


def _directories() -> list[Path]:
    """What was collected; while nothing was (development, tests), the apps' own folders."""
    root = Path(settings.STATIC_ROOT)
    if root.is_dir() and not settings.DEBUG:
        return [root]
    return [
        Path(storage.location)
        for finder in get_finders()
        for storage in getattr(finder, "storages", {}).values()
    ]
