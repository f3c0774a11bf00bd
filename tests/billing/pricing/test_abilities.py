"""Abilities of terminals: stored, looked up, unknown, failed, slow; never a guess for Yuexin."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from billing import abilities
from billing.abilities import Ability, asking
from billing.models import TerminalAbility, TerminalListing
from billing.services.abilities import abilities_forget_old, look_up, table_import
from poolsite.access.models import AuditEntry
from poolsite.table_reader.limits import UnreadableFileError

pytestmark = pytest.mark.django_db

YES, NO, NEVER = "13800000001", "13800000002", "13800000003"


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    abilities.reset()
    yield
    abilities.reset()


class Lookup:
    """A real HTTP server that knows terminals; `answer` can be changed to misbehave."""

    def __init__(self) -> None:
        self.known = {YES: True, NO: False}
        self.asked: list[list[str]] = []
        self.headers: list[Mapping[str, str]] = []
        self.answer: Callable[[Any, list[str]], None] = self.well
        lookup = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                numbers = json.loads(self.rfile.read(length))["numbers"]
                lookup.asked.append(numbers)
                lookup.headers.append(dict(self.headers))
                lookup.answer(self, numbers)

            def log_message(self, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def well(self, handler: Any, numbers: list[str]) -> None:
        its = {number: self.known[number] for number in numbers if number in self.known}
        self.send(handler, json.dumps({"yuexin": its}).encode())

    def send(self, handler: Any, body: bytes, status: int = 200) -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def lookup(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lookup]:
    """A provider with a long timeout: on a busy machine even a bad answer may take over 200 ms."""
    monkeypatch.setattr(asking, "BUDGET_SECONDS", 10.0)
    server = Lookup()
    settings.BILLING_ABILITY_PROVIDER = "http"
    settings.BILLING_ABILITY_URL = server.url
    settings.BILLING_ABILITY_TOKEN = "secret"
    yield server
    server.stop()


def known(numbers: Sequence[str] = (YES, NO, NEVER)) -> list[tuple[bool | None, str, str]]:
    found = look_up(numbers)
    return [(found[n].supports_yuexin, found[n].source, found[n].fallback) for n in numbers]


def test_the_table_answers_and_what_it_does_not_know_is_video() -> None:
    now = timezone.now()
    TerminalListing.objects.create(number=YES, supports_yuexin=True, imported_at=now)
    TerminalListing.objects.create(number=NO, supports_yuexin=False, imported_at=now)
    assert known() == [
        (True, "table", "yuexin"),
        (False, "table", "video"),
        (None, "unknown", "video"),
    ]


def test_the_http_provider_is_asked_once_and_its_answer_kept_with_source_and_age(
    lookup: Lookup,
) -> None:
    assert known() == [
        (True, "http", "yuexin"),
        (False, "http", "video"),
        (None, "unknown", "video"),
    ]
    assert lookup.headers[0]["Authorization"] == "Bearer secret"
    TerminalAbility.objects.update(looked_up_at=timezone.now() - timedelta(days=29, hours=23))
    again = look_up([YES, NO, NEVER])
    assert lookup.asked == [[YES, NO, NEVER], [NEVER]]
    assert again[YES].age_seconds == pytest.approx(29 * 86_400 + 23 * 3_600, abs=5)
    assert again[YES].source == "http"


def test_an_answer_of_30_days_is_asked_again(lookup: Lookup) -> None:
    look_up([YES])
    TerminalAbility.objects.update(looked_up_at=timezone.now() - timedelta(days=30))
    lookup.known[YES] = False
    assert look_up([YES])[YES] == Ability(YES, False, "http", 0)
    assert TerminalAbility.objects.get().supports_yuexin is False


def test_old_answers_are_forgotten() -> None:
    now = timezone.now()
    for number, days in ((YES, 31), (NO, 29)):
        TerminalAbility.objects.create(
            number=number,
            supports_yuexin=True,
            source="http",
            looked_up_at=now - timedelta(days=days),
        )
    assert abilities_forget_old() == 1
    assert [row.number for row in TerminalAbility.objects.all()] == [NO]


def slow(handler: Any, numbers: list[str]) -> None:
    time.sleep(1)  # waits: the server's own slowness is what is tested


def dripping(handler: Any, numbers: list[str]) -> None:
    handler.send_response(200)
    handler.end_headers()
    for _ in range(20):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)  # waits: so is this


@pytest.mark.parametrize("answer", [slow, dripping])
def test_over_200_ms_is_video_and_not_waited_for(
    lookup: Lookup,
    answer: Callable[[Any, list[str]], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(asking, "BUDGET_SECONDS", abilities.BUDGET_SECONDS)
    lookup.answer = answer
    assert known([YES]) == [(None, "slow", "video")]
    assert not TerminalAbility.objects.exists()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b'{"yuexin": {"13800000001": true}}', 500),
        (b"", 200),
        (b"<html>", 200),
        (b"[]", 200),
        (b'{"yuexin": []}', 200),
        (b'{"yuexin": {"13800000001": "yes"}}', 200),
        (b'{"yuexin": {"13800000001": 1}}', 200),
        (b'{"yuexin": {}' + b" " * 300_000 + b"}", 200),
    ],
)
def test_an_answer_that_is_none_is_video_and_not_kept(
    lookup: Lookup, body: bytes, status: int
) -> None:
    lookup.answer = lambda handler, numbers: lookup.send(handler, body, status)
    assert known([YES]) == [(None, "failed", "video")]
    assert not TerminalAbility.objects.exists()


def test_nobody_at_the_address_is_video(lookup: Lookup) -> None:
    lookup.stop()
    assert known([YES]) == [(None, "failed", "video")]


def test_a_provider_that_fails_again_and_again_is_left_alone_for_a_while(lookup: Lookup) -> None:
    lookup.answer = lambda handler, numbers: lookup.send(handler, b"", 500)
    for _ in range(9):
        assert known([YES]) == [(None, "failed", "video")]
    assert len(lookup.asked) == 5


def test_many_threads_ask_at_once(lookup: Lookup) -> None:
    """Only the provider is asked: SQL's transaction of the test belongs to the test's thread."""
    results: list[Mapping[str, bool]] = []
    threads = [
        threading.Thread(target=lambda: results.append(abilities.ask([YES])[1])) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [{YES: True}] * 8


def test_the_http_provider_without_an_address_is_refused(settings: Any) -> None:
    settings.BILLING_ABILITY_PROVIDER = "http"
    settings.BILLING_ABILITY_URL = ""
    with pytest.raises(ImproperlyConfigured):
        abilities.ask([YES])


# -- the table's import ------------------------------------------------------------------------


def test_a_file_is_imported_row_by_row_and_faults_are_named(tmp_path: Path) -> None:
    file = tmp_path / "terminals.csv"
    file.write_text(
        "number,yuexin\n１３８ 0000-0001,yes\n13800000002,否\nabc,yes\n13800000003,maybe\n\n"
        "13800000001,no\n"
    )
    done = table_import(actor="test", path=file, file_name=file.name)
    assert (done.taken, done.refused) == (3, 2)
    assert [(row.row, row.fault) for row in done.faults] == [
        (4, "not a number"),
        (5, "“maybe” is neither yes nor no"),
    ]
    rows = dict(TerminalListing.objects.values_list("number", "supports_yuexin"))
    assert rows == {YES: False, NO: False}
    assert AuditEntry.objects.get().after == {"file": "terminals.csv", "taken": 3, "refused": 2}


def test_an_import_makes_kept_answers_of_the_table_void(tmp_path: Path) -> None:
    file = tmp_path / "terminals.csv"
    file.write_text(f"{YES},1\n")
    table_import(actor="test", path=file, file_name=file.name)
    assert known([YES]) == [(True, "table", "yuexin")]
    file.write_text(f"{YES},0\n")
    table_import(actor="test", path=file, file_name=file.name)
    assert known([YES]) == [(False, "table", "video")]


def test_a_file_that_is_none_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "terminals.pdf"
    file.write_bytes(b"%PDF")
    with pytest.raises(UnreadableFileError):
        table_import(actor="test", path=file, file_name=file.name)
    assert not TerminalListing.objects.exists()


def test_the_command_imports_a_table_and_tells_what_a_hold_would_know(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "terminals.csv"
    file.write_text(f"{YES},yes\nnonsense,yes\n")
    call_command("terminals", "import", str(file))
    call_command("terminals", "show", "138 0000 0001", NEVER)
    told = capsys.readouterr()
    assert told.out.splitlines() == [
        "1 imported, 1 refused",
        f"{YES}: yuexin (table, 0 s old)",
        f"{NEVER}: video (unknown, 0 s old)",
    ]
    assert told.err.splitlines() == ["row 2: not a number"]
    with pytest.raises(CommandError, match="not found"):
        call_command("terminals", "import", str(tmp_path / "none.csv"))


@pytest.mark.parametrize("listed", ["13800000001", "+8613800000001", "8613800000001"])
@pytest.mark.parametrize("asked", ["13800000001", "+8613800000001"])
def test_a_terminal_is_the_same_in_every_form_of_its_number(
    tmp_path: Path, listed: str, asked: str
) -> None:
    file = tmp_path / "terminals.csv"
    file.write_text(f"{listed},yes\n")
    table_import(actor="test", path=file, file_name=file.name)
    assert known([asked, NEVER]) == [(True, "table", "yuexin"), (None, "unknown", "video")]
    file.write_text(f"{asked},no\n")  # the later row counts, in whatever format
    table_import(actor="test", path=file, file_name=file.name)
    assert known([asked]) == [(False, "table", "video")]
