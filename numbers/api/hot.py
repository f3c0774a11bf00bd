"""The pool's hot routes: events and live lists, served before Django."""

from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from numbers.api import live_list, processing
from numbers.api.directory import POOLS, PoolRef
from numbers.pool import Event
from numbers.schemas import BODY_LIMIT_BYTES, ITEMS_LIMIT, LIVE_BODY_LIMIT_BYTES, LiveList
from poolsite import access
from poolsite.access import Principal
from poolsite.api import lane
from poolsite.api.problems import (
    MEDIA_TYPE,
    kind_of_refusal,
    problem_headers,
    problem_response,
)
from poolsite.api.reading import BodyReader, MalformedError
from poolsite.api.waiting import while_allowed

EVENTS_PATH = "/api/v1/pools/{slug}/events"
LIVE_PATH = "/api/v1/pools/{slug}/live"
EVENTS: BodyReader[Event] = BodyReader(Event, items_limit=ITEMS_LIMIT)
_LISTS: BodyReader[LiveList] = BodyReader(LiveList)


def register() -> None:
    """Register the hot routes. Called once, by poolsite.asgi."""
    lane.register(EVENTS_PATH, post_events)
    lane.register(LIVE_PATH, post_live_list)


class _RefusedError(Exception):
    def __init__(self, response: Response) -> None:
        super().__init__(response.status_code)
        self.response = response


async def post_events(request: Request) -> Response:
    """Answer one event, or each event of a batch."""
    try:
        principal, pool = await _admit(request)
        body = await lane.read_body(request, BODY_LIMIT_BYTES)
        read = EVENTS.read(body)
    except _RefusedError as refused:
        return refused.response
    except MalformedError as error:
        return problem_response("malformed", str(error), outcome="error")
    if isinstance(read, list):
        return Response(
            orjson.dumps(await processing.many(pool, principal, read)),
            media_type="application/json",
        )
    if read.wait_ms and read.event == "call":
        work = processing.one(pool, principal, read)
        status, answer = await while_allowed(request, principal, work)
    else:
        status, answer = await processing.one(pool, principal, read)
    return _response(status, answer)


async def post_live_list(request: Request) -> Response:
    """Take the list of all calls that a switch has now."""
    try:
        principal, pool = await _admit(request)
        given = _LISTS.read_one(await lane.read_body(request, LIVE_BODY_LIMIT_BYTES))
    except _RefusedError as refused:
        return refused.response
    except MalformedError as error:
        return problem_response("malformed", str(error), outcome="error")
    return _response(*await live_list.report(pool, principal, given))


async def _admit(request: Request) -> tuple[Principal, PoolRef]:
    """Return the principal and the pool of a request. Only tokens are accepted, no cookies.

    So no page of another site can make a browser send events, and no CSRF token is needed.
    """
    if not any(name == b"authorization" for name, _ in request.scope["headers"]):
        raise _RefusedError(problem_response("unauthenticated"))
    principal = await access.principal_of_scope(request.scope)
    if not principal.is_authenticated:
        raise _RefusedError(problem_response("unauthenticated"))
    pool = await POOLS.get(request.path_params["slug"])
    decision = access.decide_found(principal, "numbers.event", pool)
    if not decision or pool is None:
        raise _RefusedError(problem_response(kind_of_refusal(decision, "unknown-pool")))
    return principal, pool


def _response(status: int, answer: dict[str, Any]) -> Response:
    body = orjson.dumps(answer)
    if status == 200:
        return Response(body, media_type="application/json")
    return Response(body, status, problem_headers(answer["type"]), MEDIA_TYPE)
