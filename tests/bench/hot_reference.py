"""The reference of the hot lane: only the toolkit, orjson and one no-op EVALSHA."""

import os

import orjson
import redis.asyncio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

NO_OP = "return 1"
_client = redis.asyncio.from_url(os.environ["REDIS_URL"])
_sha: list[str] = []


async def event(request: Request) -> Response:
    """Read the body, run a script that does nothing, answer JSON."""
    orjson.loads(await request.body())
    if not _sha:
        _sha.append(await _client.script_load(NO_OP))
    reply = await _client.evalsha(_sha[0], 1, "{bench}")
    return Response(orjson.dumps({"outcome": reply}), media_type="application/json")


application = Starlette(
    routes=[Route("/api/v1/pools/{slug}/events", event, methods=["POST"])],
)
