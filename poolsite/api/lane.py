"""The hot lane: routes that are served from ASGI before Django, with parts of Starlette.

Bodies are limited while they are read, because servers differ: daphne first stores a body of any
size in memory, uvicorn passes it on in pieces (docs/decisions/0006).
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from redis.exceptions import RedisError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from poolsite import access, hotpath
from poolsite.api import gather
from poolsite.api.bodies import drop_body
from poolsite.api.problems import RefusedError, problem_response, without_reply
from poolsite.api.reading import TooDeepError
from poolsite.sql_away import sql_is_away

logger = logging.getLogger(__name__)

_NOSNIFF = (b"x-content-type-options", b"nosniff")  # as Django's middleware sets it

Endpoint = Callable[[Request], Awaitable[Response]]
_routes: list[Route] = []
SLOW_BODY_SECONDS = 0.5
SQL_AWAY = "the database did not answer: ask again in a moment"


class TooLargeError(Exception):
    """The body is over the limit. `limit` is in bytes."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.limit = limit


class MediaTypeError(Exception):
    """The body's media type is something other than JSON."""


def register(path: str, endpoint: Endpoint, *, methods: Sequence[str] = ("POST",)) -> None:
    """Serve a path (in Starlette's form, `/api/v1/pools/{slug}/events`) before Django."""
    _routes[:] = [route for route in _routes if route.path != path]
    _routes.append(Route(path, _Guarded(endpoint, methods)))


def routes() -> list[Route]:
    """Return every hot route, for poolsite.asgi."""
    return list(_routes)


async def read_body(request: Request, limit_bytes: int) -> bytes:
    """Return the whole body, whose type is JSON or missing. Raise TooLargeError or MediaTypeError.

    Nothing over the limit is stored. The caller has checked the credential. After a slow body it is
    checked again: raise RefusedError if it has ended.
    """
    loop = asyncio.get_running_loop()
    began = loop.time()
    body = await _read_body(request, limit_bytes)
    if loop.time() - began > SLOW_BODY_SECONDS:
        principal = await access.principal_of_scope(request.scope)
        if not principal.is_authenticated:
            raise RefusedError("unauthenticated")
    return body


async def _read_body(request: Request, limit_bytes: int) -> bytes:
    declared = None
    for name, value in request.scope["headers"]:
        if name == b"content-length":
            declared = value
        elif name == b"content-type" and not _is_json(value):
            raise MediaTypeError(value.decode("latin-1")[:80])
    if declared is not None and (not declared.isdigit() or int(declared[:20]) > limit_bytes):
        await drop_body(request.scope, request.receive)
        raise TooLargeError(limit_bytes)
    receive = request.receive
    message = await receive()
    body: bytes = message.get("body", b"")
    if message.get("more_body"):
        pieces = [body]
        size = len(body)
        while message.get("more_body") and size <= limit_bytes:
            message = await receive()
            pieces.append(message.get("body", b""))
            size += len(pieces[-1])
        body = b"".join(pieces)
    if message["type"] == "http.disconnect":
        raise ConnectionResetError("the client left before its body was read")
    if len(body) > limit_bytes:
        if message.get("more_body"):
            await drop_body(request.scope, receive)
        raise TooLargeError(limit_bytes)
    return body


def _is_json(content_type: bytes) -> bool:
    kind = content_type.partition(b";")[0].strip().lower()
    return kind == b"application/json" or kind.endswith(b"+json")


class _Guarded:
    """One endpoint with the errors that every hot route has. An ASGI application."""

    def __init__(self, endpoint: Endpoint, methods: Sequence[str]) -> None:
        self._endpoint = endpoint
        self._methods = frozenset(methods)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] not in self._methods:
            allow = ", ".join(sorted(self._methods))
            response = problem_response("method", headers={"Allow": allow})
        else:
            response = await self._answer(Request(scope, receive))
        response.raw_headers.append(_NOSNIFF)
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        try:
            return await self._endpoint(request)
        except RefusedError as refused:
            return problem_response(refused.kind, refused.detail)
        except TooLargeError as error:
            # The rest of the body may be unread: the connection cannot serve another request then.
            return problem_response(
                "too-large",
                f"at most {error.limit} bytes",
                headers={"Connection": "close"},
            )
        except MediaTypeError as error:
            return problem_response("media-type", f"not JSON: {error}")
        except TooDeepError as error:
            return problem_response("too-deep", str(error))
        except hotpath.UnknownOutcome:
            return problem_response(
                without_reply(request.method),
                "sent to Redis, no reply came: ask again with the same call id",
            )
        except (hotpath.Unavailable, RedisError, OSError) as error:
            logger.warning("hot lane: unavailable: %s", error)
            return problem_response("unavailable", "nothing was changed")
        except Exception as error:
            if sql_is_away(error):
                logger.warning("hot lane: SQL is away: %s", error)
                return problem_response("unavailable", SQL_AWAY)
            logger.exception("hot lane: %s failed", request.url.path)
            return problem_response("fault", "it was logged; the outcome may be unknown")


def application(default: ASGIApp) -> ASGIApp:
    """Put the hot routes in front of `default`."""
    hot = routes()

    async def choose(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        for route in hot:
            match = route.path_regex.match(path)
            if match:
                params = {key: str(value) for key, value in match.groupdict().items()}
                scope = {**scope, "path_params": params}
                await route.app(scope, receive, send)
                return
        gather.serve_threads()
        await default(scope, receive, send)

    return choose
