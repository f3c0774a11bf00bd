"""A container's health check of a web process: by port, by socket, and without a server."""

import shutil
import socketserver
import sys
import tempfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from poolsite.runtime import healthcheck
from tests.support.ports import free_port


class Answers(BaseHTTPRequestHandler):
    """Answers /healthz with `status`, and everything else with 404."""

    status = 200

    def do_GET(self) -> None:
        self.send_response(self.status if self.path == "/healthz" else 404)
        self.end_headers()

    def address_string(self) -> str:
        return "a Unix socket has no address"

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(params=["port", "socket"])
def address(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a running server."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))  # short, as for any socket
    port, path = free_port(), str(folder / "web.sock")
    by_port = request.param == "port"
    server = (
        socketserver.ThreadingTCPServer(("127.0.0.1", port), Answers)
        if by_port
        else socketserver.ThreadingUnixStreamServer(path, Answers)
    )
    with server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{port}" if by_port else path
        server.shutdown()
    shutil.rmtree(folder)


def check(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["healthcheck", *words])
    return healthcheck.main()


def test_200_is_healthy_and_anything_else_is_not(address, monkeypatch, capsys):
    assert check(monkeypatch, address) == 0
    monkeypatch.setattr(Answers, "status", 503)
    assert check(monkeypatch, address) == 1
    assert capsys.readouterr().err == f"{address} answered 503\n"


@pytest.mark.parametrize("nothing", ["127.0.0.1:1", "/tmp/no-such-folder/web.sock"])
def test_a_process_that_does_not_answer_is_not_healthy(nothing, monkeypatch, capsys):
    assert check(monkeypatch, nothing) == 1
    assert capsys.readouterr().err.startswith(f"{nothing} does not answer: ")


def test_without_an_address_it_says_how_it_is_used(monkeypatch, capsys):
    assert check(monkeypatch) == 64
    assert "Name a web process" in capsys.readouterr().err
