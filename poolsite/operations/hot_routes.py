"""/healthz, /readyz and /metrics, served before Django so that a probe costs almost nothing."""

import asyncio
import hmac

import orjson
from django.conf import settings
from starlette.requests import Request
from starlette.responses import Response

from poolsite import access
from poolsite.access import limiting
from poolsite.api import lane
from poolsite.api.guard import too_many
from poolsite.api.problems import problem_response
from poolsite.api.shutdown import drain
from poolsite.operations import health, metrics

_NO_STORE = {"Cache-Control": "no-store"}
METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def register() -> None:
    """Register the three routes before Django. AppConfig.ready() calls this once."""
    for path, endpoint in (("/healthz", healthz), ("/readyz", readyz), ("/metrics", metrics_page)):
        lane.register(path, endpoint, methods=("GET", "HEAD"))


async def healthz(_request: Request) -> Response:
    """Return 200 while the process and its event loop run. Redis and SQL are not checked."""
    return _json({"status": "alive"}, 200)


async def readyz(_request: Request) -> Response:
    """Return 200 if Redis accepts writes, SQL answers and its migrations are applied, else 503.

    The other parts of the platform's health are warnings: they depend on other processes. While
    this process drains its WebSockets, return 503, too, so that a load balancer takes it out.
    """
    if drain.has_begun:
        return _json({"status": "shutting down"}, 503)
    judged = await health.aread()
    said = {True: dict[str, str](), False: dict[str, str]()}
    for answer in judged.answers:
        said[answer.check.required][answer.check.name] = answer.sentence()
    return _json(
        {
            "status": "ready" if judged.ready else "not ready",
            "checks": {name: text or "ok" for name, text in said[True].items()},
            "warnings": {name: text for name, text in said[False].items() if text},
        },
        200 if judged.ready else 503,
    )


async def metrics_page(request: Request) -> Response:
    """Return Prometheus' text if the token is right, 404 if no token is set."""
    token = settings.METRICS_TOKEN
    if not token:
        return problem_response("not-found", "POOLSITE_METRICS_TOKEN is not set")
    given = request.headers.get("authorization", "").encode("utf-8", "replace")
    if not hmac.compare_digest(given, b"Bearer " + token.encode()):
        try:
            await limiting.count_bad_token(access.client_address_of_scope(request.scope))
        except limiting.RateLimitedError as refused:
            return too_many(request.scope, refused)
        return problem_response("unauthenticated", headers={"WWW-Authenticate": "Bearer"})
    text = await asyncio.get_running_loop().run_in_executor(None, metrics.render)
    return Response(text, 200, _NO_STORE, METRICS_TYPE)


def _json(body: dict[str, object], status: int) -> Response:
    return Response(orjson.dumps(body), status, _NO_STORE, "application/json")
