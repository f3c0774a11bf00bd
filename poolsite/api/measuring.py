"""Counts the requests and websockets of this process for Prometheus (`/metrics`)."""

from time import perf_counter

from django.conf import settings
from prometheus_client import Counter, Gauge, Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from poolsite.api.guard import PROBES
from poolsite.live.closing import Around

AREAS = ("api", "page", "static", "probe")
STATUSES = ("1xx", "2xx", "3xx", "4xx", "5xx")
# A switch waits up to 50 ms for a number. A page is slow after a second.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
REQUESTS = Histogram(
    "poolsite_http_request_duration_seconds",
    "From a request to the end of its response, by area and class of status.",
    ["area", "status"],
    buckets=BUCKETS,
)
OPEN_SOCKETS = Gauge("poolsite_websockets_open", "Accepted websockets of this process.")
CLOSED_SOCKETS = Counter(
    "poolsite_websockets_closed",
    "Websockets that this process closed or refused, by close code or HTTP status.",
    ["code"],
)
# Created once: rates begin at 0, and finding a label costs more than counting.
_REQUESTS = {(area, status): REQUESTS.labels(area, status) for area in AREAS for status in STATUSES}


def measured_requests(application: ASGIApp) -> ASGIApp:
    """Count each response of the HTTP application, unless the client left before it began."""
    static = "/" + str(settings.STATIC_URL).strip("/") + "/"

    def area_of(path: str) -> str:
        if path.startswith("/api/"):
            return "api"
        if path in PROBES:
            return "probe"
        return "static" if path.startswith(static) else "page"

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        began = perf_counter()
        status = 0

        async def tell(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await application(scope, receive, tell)
        except Exception:
            status = status or 500  # the server answers 500
            raise
        finally:
            counted = _REQUESTS.get((area_of(scope["path"]), f"{status // 100}xx"))
            if counted is not None:
                counted.observe(perf_counter() - began)

    return serve


def measured_sockets(application: ASGIApp) -> ASGIApp:
    """Count the websockets while they are open, and when this side closes them."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        is_open = False

        async def tell(message: Message) -> None:
            nonlocal is_open
            await send(message)
            match message["type"]:
                case "websocket.accept":
                    is_open = True
                    OPEN_SOCKETS.inc()
                case "websocket.close":
                    CLOSED_SOCKETS.labels(str(message.get("code", 1000))).inc()
                case "websocket.http.response.start":
                    CLOSED_SOCKETS.labels(str(message["status"])).inc()

        try:
            await application(scope, receive, Around(send, tell))
        finally:
            if is_open:
                OPEN_SOCKETS.dec()

    return serve
