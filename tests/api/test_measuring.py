"""What /metrics counts of this process's requests and websockets."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from prometheus_client import REGISTRY
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from poolsite.api.measuring import measured_requests, measured_sockets

COUNT = "poolsite_http_request_duration_seconds_count"


def figure(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


def serve(application: ASGIApp, kind: str = "http", path: str = "/") -> list[Message]:
    """Let the application answer one request or handshake. Return what it sent."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": f"{kind}.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(application({"type": kind, "path": path}, receive, send))
    return sent


def saying(*messages: Message, look: Callable[[], Any] = lambda: None) -> ASGIApp:
    """Return an application that sends these messages, then calls `look`."""

    async def application(_scope: Scope, _receive: Receive, send: Send) -> None:
        for message in messages:
            await send(message)
        look()

    return application


@pytest.mark.parametrize(
    ("path", "status", "labels"),
    [
        ("/api/v1/pools/", 200, {"area": "api", "status": "2xx"}),
        ("/overview/", 302, {"area": "page", "status": "3xx"}),
        ("/static/css/layout.css", 304, {"area": "static", "status": "3xx"}),
        ("/metrics", 401, {"area": "probe", "status": "4xx"}),
        ("/api/v1/pools/", 503, {"area": "api", "status": "5xx"}),
    ],
)
def test_a_response_is_counted_by_area_and_class_of_status(path, status, labels):
    before = figure(COUNT, **labels)
    messages = ({"type": "http.response.start", "status": status}, {"type": "http.response.body"})
    assert serve(measured_requests(saying(*messages)), path=path) == list(messages)
    assert figure(COUNT, **labels) == before + 1


def test_a_request_that_fails_is_a_500_and_one_whose_client_left_is_not_counted():
    async def fails(_scope: Scope, _receive: Receive, _send: Send) -> None:
        raise ZeroDivisionError

    def counts() -> tuple[float, float]:
        of_pages = [figure(COUNT, area="page", status=f"{each}xx") for each in range(1, 6)]
        return of_pages[-1], sum(of_pages)

    failed, answered = counts()
    with pytest.raises(ZeroDivisionError):
        serve(measured_requests(fails))
    serve(measured_requests(saying()))
    assert counts() == (failed + 1, answered + 1)


def test_a_websocket_is_open_from_its_acceptance_to_its_end():
    before = figure("poolsite_websockets_open")
    during = []
    look = saying(
        {"type": "websocket.accept"}, look=lambda: during.append(figure("poolsite_websockets_open"))
    )
    serve(measured_sockets(look), "websocket")
    assert (during, figure("poolsite_websockets_open")) == ([before + 1], before)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"type": "websocket.close", "code": 4429}, "4429"),
        ({"type": "websocket.close"}, "1000"),
        ({"type": "websocket.http.response.start", "status": 429}, "429"),
    ],
)
def test_a_websocket_that_is_refused_or_closed_is_counted_by_its_code(message, code):
    before = figure("poolsite_websockets_closed_total", code=code)
    is_open = figure("poolsite_websockets_open")
    serve(measured_sockets(saying(message)), "websocket")
    assert figure("poolsite_websockets_closed_total", code=code) == before + 1
    assert figure("poolsite_websockets_open") == is_open
