"""Limits on request bodies in front of Django, which stores a body of any size on disk before it
checks who sends it.
"""

from typing import Final

from django.conf import settings
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from poolsite.access.headers import header
from poolsite.api.plain_pages import refusal
from poolsite.uploaded_files import UPLOAD_BYTES_LIMIT

_MEGABYTE: Final = 1024 * 1024
FORM_LIMIT_BYTES: Final = UPLOAD_BYTES_LIMIT + 2 * _MEGABYTE  # the file and the form's fields


def bounded_bodies(default: ASGIApp) -> ASGIApp:
    """Answer 413 instead of passing a larger body to `default` than is allowed.

    Forms with files may be as large as an upload, other bodies as large as settings allow. Nothing
    beyond the limit is stored.
    """

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        limit = FORM_LIMIT_BYTES if _has_files(scope) else settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        declared = header(scope, b"content-length")
        if declared and (not declared.isdecimal() or int(declared[:20]) > limit):
            await drop_body(scope, receive)
            await _refusal(scope, limit)(scope, receive, send)
            return
        body = _Body(receive, limit)
        await default(scope, body.receive, send)
        if body.too_large:
            if body.has_more:
                await drop_body(scope, receive)
            await _refusal(scope, limit)(scope, receive, send)

    return serve


async def drop_body(scope: Scope, receive: Receive) -> None:
    """Read the rest of a refused body and drop it, if it is no larger than nginx lets through.

    nginx is still sending it, and answers 502 if the connection closes meanwhile.
    """
    declared = header(scope, b"content-length")
    if declared and (not declared.isdecimal() or int(declared[:20]) > FORM_LIMIT_BYTES):
        return
    left = FORM_LIMIT_BYTES
    while left > 0:
        message = await receive()
        if not message.get("more_body"):
            return
        left -= len(message.get("body", b""))


class _Body:
    """Counts the received bytes. Over the limit it reports that the client has left, and Django
    drops the request without an answer.
    """

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive = receive
        self._left = limit
        self.too_large = self.has_more = False

    async def receive(self) -> Message:
        if not self.too_large:
            message = await self._receive()
            self.has_more = message.get("more_body", False)
            self._left -= len(message.get("body", b""))
            if self._left >= 0:
                return message
            self.too_large = True
        return {"type": "http.disconnect"}


def _has_files(scope: Scope) -> bool:
    return header(scope, b"content-type").lower().startswith("multipart/form-data")


def _refusal(scope: Scope, limit: int) -> Response:
    has_files = _has_files(scope)
    shown = UPLOAD_BYTES_LIMIT if has_files else limit
    return refusal(
        scope,
        "too-large",
        f"at most {limit} bytes",
        # The rest of the body may be unread: the connection cannot serve another request then.
        headers={"Connection": "close"},
        context={"limit": shown // _MEGABYTE, "has_files": has_files},
    )
