"""The audit of the locks, against a local server that answers according to OSV's documentation."""

import json
import socket
import threading
from collections.abc import Iterator
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.house import audit
from tests.house.lock import pins

TODAY = date(2026, 11, 27)
DJANGO = dict(pins("base"))["django"]
ABOUT = {
    "PYSEC-2026-7": {
        "summary": "SQL injection in a lookup",
        "aliases": ["CVE-2026-1", "GHSA-aaaa"],
        "affected": [
            {
                "package": {"name": "Django", "ecosystem": "PyPI"},
                "ranges": [
                    {"type": "GIT", "events": [{"introduced": "0"}, {"fixed": "c0ffee"}]},
                    {"type": "ECOSYSTEM", "events": [{"introduced": "5.2"}, {"fixed": "99.1"}]},
                ],
            }
        ],
    },
    "GHSA-aaaa": {"aliases": ["CVE-2026-1", "PYSEC-2026-7"]},
    "GHSA-gone": {"withdrawn": "2026-01-01T00:00:00Z"},
}


class Service(ThreadingHTTPServer):
    """Reports these vulnerabilities for the locked version of Django, none for other packages."""

    daemon_threads = True
    ids: tuple[str, ...] = ()
    page = b""  # the body to send in place of an answer
    status = 200

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def answer(self, path: str, asked: dict[str, Any]) -> Any:
        if path == "/v1/querybatch":
            return {"results": [self._of(query) for query in asked["queries"]]}
        return ABOUT.get(path.removeprefix("/v1/vulns/"))

    def _of(self, query: dict[str, Any]) -> dict[str, Any]:
        django = {"package": {"name": "django", "ecosystem": "PyPI"}, "version": DJANGO}
        if query != django or not self.ids:
            return {}
        return {"vulns": [{"id": each, "modified": "2026-11-01T00:00:00Z"} for each in self.ids]}


class Handler(BaseHTTPRequestHandler):
    server: Service

    def do_POST(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        found = self.server.answer(self.path, json.loads(body or b"{}"))
        page = self.server.page or json.dumps(found).encode()
        self.send_response(self.server.status if found is not None else 404)
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_: object, **__: object) -> None:
        """Log nothing."""


@pytest.fixture
def service() -> Iterator[Service]:
    with Service(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def accepted(tmp_path, monkeypatch):
    """Accept PYSEC-2026-7, by one of its aliases, until the last day of the year."""
    path = tmp_path / "accepted.toml"
    path.write_text('[[accepted]]\nid = "CVE-2026-1"\nreason = "Unused."\nuntil = 2026-12-31\n')
    monkeypatch.setattr(audit, "ACCEPTED", path)


def test_locks_without_vulnerabilities_pass(service, capsys):
    assert audit.main(service.url, TODAY) == 0
    assert capsys.readouterr().out.startswith(f"{len(pins('dev'))} packages")


def test_a_vulnerability_fails_once_with_name_id_and_fixed_version(service, capsys):
    service.ids = ("PYSEC-2026-7", "GHSA-aaaa", "GHSA-gone")
    assert audit.main(service.url, TODAY) == 1
    said = f"django {DJANGO}: PYSEC-2026-7 = CVE-2026-1 = GHSA-aaaa, fixed in 99.1. SQL injection"
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith(said)


def test_a_vulnerability_without_details_fails_too(service, capsys):
    service.ids = ("PYSEC-2026-8",)
    assert audit.main(service.url, TODAY) == 1
    said = f"django {DJANGO}: PYSEC-2026-8, no fixed version is known\n"
    assert capsys.readouterr().out == said


@pytest.mark.parametrize(("today", "status"), [(date(2026, 12, 31), 0), (date(2027, 1, 1), 1)])
def test_an_accepted_one_passes_until_its_last_day(service, accepted, capsys, today, status):
    service.ids = ("PYSEC-2026-7",)
    assert audit.main(service.url, today) == status
    assert ("was accepted until 2026-12-31: Unused." in capsys.readouterr().out) == bool(status)


@pytest.mark.parametrize(
    ("status", "page"), [(503, b""), (403, b"{}"), (200, b"<html>Log in"), (200, b'{"results":[]}')]
)
def test_an_answer_that_is_none_is_told_as_not_run(service, capsys, status, page):
    service.status, service.page = status, page
    assert audit.main(service.url, TODAY) == 0
    assert capsys.readouterr().out.startswith("NOT RUN: no vulnerability data can be reached (")


def test_no_server_or_one_that_never_answers_is_told_as_not_run(monkeypatch, capsys):
    monkeypatch.setattr(audit, "REACH_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        assert audit.main(url, TODAY) == 0
    assert audit.main(url, TODAY) == 0
    said = capsys.readouterr().out.splitlines()
    assert [line.partition(" (")[0] for line in said] == [
        "NOT RUN: no vulnerability data can be reached"
    ] * 2


def test_what_is_accepted_has_a_reason_and_a_last_day():
    for each in audit.read_accepted(audit.ACCEPTED.read_text()):
        assert each.reason.strip()
        assert isinstance(each.until, date)
