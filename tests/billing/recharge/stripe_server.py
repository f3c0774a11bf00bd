"""A server of Stripe's HTTP API, as far as top-ups use it. It remembers the requests."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl


class StripeServer(ThreadingHTTPServer):
    """Answers by idempotency key: the same key returns the same object, as Stripe does."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[tuple[str, dict[str, str], str]] = []
        self.made: dict[str, dict[str, Any]] = {}
        self.states: dict[str, dict[str, Any]] = {}  # what a read finds, by the address's last part
        self.failing = 0
        self.status = 500
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: StripeServer

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        given = dict(parse_qsl(self.rfile.read(length).decode()))
        key = self.headers.get("Idempotency-Key", "")
        with self.server.lock:
            self.server.asked.append((self.path, given, key))
            if self.server.failing > 0:
                self.server.failing -= 1
                self._answer(self.server.status, _error(self.server.status))
                return
            found = self.server.made.setdefault(key, self._make(given))
        self._answer(200, found)

    def do_GET(self) -> None:
        self.server.asked.append((self.path, {}, ""))
        found = self.server.states.get(self.path.rpartition("/")[2])
        self._answer(200 if found else 404, found or _error(404))

    def _make(self, given: dict[str, str]) -> dict[str, Any]:
        number = len(self.server.made) + 1
        if self.path == "/v1/checkout/sessions":
            return {
                "id": f"cs_{number}",
                "object": "checkout.session",
                "url": f"https://checkout.stripe.com/c/pay/cs_{number}",
            }
        if self.path.endswith("/detach"):
            return {"id": self.path.split("/")[3], "object": "payment_method"}
        return {"id": f"pi_{number}", "object": "payment_intent", "status": "succeeded"}

    def _answer(self, status: int, body: dict[str, Any]) -> None:
        raw = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the base class's word
        """Log nothing: the tests read `asked`."""


def _error(status: int) -> dict[str, Any]:
    if status == 402:
        return {"error": {"type": "card_error", "code": "card_declined", "message": "Declined."}}
    if status == 404:
        return {"error": {"type": "invalid_request_error", "message": "No such thing."}}
    return {"error": {"type": "api_error", "message": "Something went wrong."}}


@contextmanager
def stripe_server() -> Iterator[StripeServer]:
    """The server, running for the length of the block."""
    server = StripeServer()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
