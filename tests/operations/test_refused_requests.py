"""What refused requests write to a real server's log: one bounded line each, at a limited rate."""

import io
import json
import logging
import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import structlog

from poolsite.operations import logs
from poolsite.runtime.redis_server import RedisServer
from tests.live.servers import Site, WebServer
from tests.support.parts import starts_processes
from tests.support.waiting import patient

LINE_BYTES = 1_000
APPLICATION = "poolsite.asgi:application"


@pytest.fixture(scope="module")
@starts_processes
def site(tmp_path_factory: pytest.TempPathFactory, redis_server: RedisServer) -> Site:
    site = Site(tmp_path_factory.mktemp("refused"), redis_server.url)
    site.migrate()
    site.meet("north")
    return site


@pytest.fixture
@starts_processes
def server(
    site: Site, request: pytest.FixtureRequest, clean_redis: RedisServer
) -> Iterator[WebServer]:
    """A server of the kind, and with the log format, that the test's parameters name."""
    kind, form = request.param
    settings = {"POOLSITE_LOG_FORMAT": form, "POOLSITE_BAD_TOKENS_PER_ADDRESS": "1"}
    server = WebServer(site, kind, APPLICATION, environment=settings).start()
    yield server
    server.stop()


each_server = pytest.mark.parametrize(
    "server",
    [("uvicorn", "json"), ("daphne", "console")],
    indirect=True,
    ids=["uvicorn-json", "daphne-console"],
)


@each_server
def test_a_refused_request_is_one_bounded_line(site: Site, server: WebServer) -> None:
    before = len(server.log.read_bytes())
    statuses = [refuse(server, site.people["north"], *each) for each in REFUSALS]
    assert statuses == [status for status, _, _ in REFUSALS]
    said = server.log.read_bytes()[before:].decode()
    assert "Traceback" not in said
    lines = said.splitlines()
    assert len(lines) <= len(REFUSALS), said
    assert max(len(line.encode()) for line in lines) < LINE_BYTES * 3, said
    assert "\nforged" not in said
    if said.startswith("{"):
        assert all(json.loads(line)["event"] for line in lines)


class _Kept(logging.Handler):
    """Stores the records that pass its filters."""

    def __init__(self, kept: list[logging.LogRecord]) -> None:
        super().__init__()
        self._kept = kept

    def emit(self, record: logging.LogRecord) -> None:
        self._kept.append(record)


@pytest.fixture
def refused() -> Iterator[tuple[logging.Logger, list[logging.LogRecord]]]:
    """Yield a logger behind the filter, and the list of the records that passed it."""
    passed: list[logging.LogRecord] = []
    handler = _Kept(passed)
    handler.addFilter(logs.RefusedRequests(lines_per_second=5))
    logger = logging.getLogger("tests.refused")
    logger.addHandler(handler)
    logger.propagate = False
    yield logger, passed
    logger.propagate = True
    logger.removeHandler(handler)


def test_more_lines_than_a_second_allows_are_counted_and_told_later(
    refused: tuple[logging.Logger, list[logging.LogRecord]], monkeypatch: pytest.MonkeyPatch
) -> None:
    logger, passed = refused
    monkeypatch.setattr(logs, "time", SimpleNamespace(monotonic=lambda: 100.5))
    for _ in range(50):
        logger.warning("Forbidden: %s", "/x", extra={"status_code": 403}, exc_info=ValueError("x"))
    logger.error("a fault of ours", extra={"status_code": 500}, exc_info=ValueError("kept"))
    assert [record.levelname for record in passed] == ["WARNING"] * 5 + ["ERROR"]
    assert [bool(record.exc_info) for record in passed] == [False] * 5 + [True]
    monkeypatch.setattr(logs, "time", SimpleNamespace(monotonic=lambda: 101.0))
    logger.warning("Forbidden: %s", "/y", extra={"status_code": 403})
    assert passed[-1].getMessage() == "Forbidden: /y (45 more refused requests before it)"


@pytest.mark.parametrize("form", ["json", "console"])
def test_a_line_is_bounded_and_cannot_be_forged(form: str) -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logs.formatter(form))
    logger = structlog.get_logger("tests.bounded")
    standard = logging.getLogger("tests.bounded")
    standard.addHandler(handler)
    standard.propagate = False  # pytest's own handler would write it all
    huge = "x" * 1_000_000
    logger.warning(f"about {huge}", path=huge, many=[huge] * 30, raw=huge.encode())
    logger.warning("one\nforged\r\x1b[31m\u2028forged\x9b", name="a\nforged")
    try:
        raise ValueError(f"{huge}\x1b[2J")
    except ValueError:
        logger.exception("failed")
    standard.removeHandler(handler)
    text = stream.getvalue()
    assert len(text) < 120_000
    assert not re.search(r"(^|[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028])forged", text, re.MULTILINE)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]", text)


def refuse(
    server: WebServer, north: dict[str, Any], status: int, method: str, given: dict[str, Any]
) -> int:
    """Send a request that the server refuses. Return its status."""
    options = {"headers": {}, **given}
    path = options.pop("path")
    if options.pop("as_north", False):
        options["headers"] = {**options["headers"], "Cookie": north["cookie"]}
    elif status == 413:
        options["headers"] = {"Authorization": f"Bearer {north['token']}"}
    url = f"http://127.0.0.1:{server.port}{path}"
    return httpx.request(method, url, timeout=patient(20), **options).status_code


EVENTS = "/api/v1/pools/east/events"
LONG = "x" * 3_000
# Status, method, and what is sent.
REFUSALS: list[tuple[int, str, dict[str, Any]]] = [
    (400, "GET", {"path": "/login/", "headers": {"Host": "elsewhere.example"}}),
    (413, "POST", {"path": "/api/v1/devices/d/report", "content": b"x" * 3_000_000}),
    (401, "POST", {"path": EVENTS, "json": {}}),
    (401, "GET", {"path": "/api/v1/pools", "headers": {"Authorization": "Bearer " + LONG[:900]}}),
    (403, "GET", {"path": "/operators/invite/", "as_north": True}),
    (403, "POST", {"path": "/logout/", "as_north": True}),  # no CSRF token
    (404, "GET", {"path": f"/nothing/{LONG}"}),
    (404, "GET", {"path": "/nothing%0Aforged%0D%1b%5b31m"}),
    (404, "GET", {"path": "/api/v1/nothing"}),
    (429, "GET", {"path": "/api/v1/pools", "headers": {"Authorization": "Bearer ps_guess"}}),
    (405, "GET", {"path": EVENTS}),
    (405, "GET", {"path": "/logout/", "as_north": True}),
]
