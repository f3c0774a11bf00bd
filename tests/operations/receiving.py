"""A server that accepts webhooks, on a loopback port."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Received = tuple[str, dict[str, str], bytes]


class Receiver(ThreadingHTTPServer):
    """Answers every POST with `status`, and stores the path, headers and raw body of each."""

    def __init__(self) -> None:
        self.status = 200
        self.location = ""
        self.received: list[Received] = []
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/hook?from=poolsite"

    @property
    def bodies(self) -> list[Any]:
        return [json.loads(raw) for _path, _headers, raw in self.received]


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.received.append((self.path, dict(self.headers), raw))
        self.send_response(self.server.status)
        if self.server.location:
            self.send_header("Location", self.server.location)
        body = b"thank you" * 1_000
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        return


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Run a receiver until the block ends."""
    server = Receiver()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
