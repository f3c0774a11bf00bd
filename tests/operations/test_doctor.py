"""`manage.py doctor`, in this process: each state is that of a real server or folder."""

import json
import os
import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.management import CommandError, call_command

from poolsite import hotpath, operations
from poolsite.jobs import sweeping
from poolsite.operations import Check, DoctorLine, Finding, health
from poolsite.operations.doctor import running
from poolsite.operations.management.commands import doctor
from poolsite.operations.models import WebhookEndpoint
from poolsite.operations.registry import CHECKS, EXAMINATIONS
from tests.house.source import ROOT
from tests.operations.marks import set_running
from tests.support.mail_server import mail_server
from tests.support.oidc_provider import oidc_provider
from tests.support.ports import free_port
from tests.support.waiting import patient

pytestmark = pytest.mark.django_db(transaction=True)

SMTP = "django.core.mail.backends.smtp.EmailBackend"


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "CHECK_SECONDS", patient(10))


def lines(*names: str) -> list[DoctorLine]:
    return [row.line for row in running.examine(names).rows]


def line(name: str) -> DoctorLine:
    (found,) = lines(name)
    return found


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Return the exit code and the output of the command."""
    code = 0
    try:
        call_command("doctor", *arguments)
    except SystemExit as end:
        code = int(str(end.code))
    return code, capsys.readouterr().out


@pytest.fixture
def gaps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three examinations: one succeeds, one warns, and one fails."""
    found = {
        "fine": DoctorLine("ok", "all of it"),
        "odd": DoctorLine("warn", "half of it", "Add the rest."),
        "broken": DoctorLine("fail", "none of it", "Add it."),
    }
    for name, told in found.items():
        examination = operations.Examination(name, lambda told=told: [told])
        monkeypatch.setitem(EXAMINATIONS, name, examination)


def test_the_table_of_checks_names_every_examination():
    text = (ROOT / "docs" / "operations" / "doctor.md").read_text()
    table = re.findall(r"^\| `([a-z.]+)` \|", text.partition("## Checks")[2], re.MULTILINE)
    assert table == list(EXAMINATIONS)
    health_checks = text.partition("## Checks")[2].partition("\n| check")[0]
    assert {name for name in CHECKS if ":" not in name} <= set(
        re.findall(r"`([a-z]+)`", health_checks)
    )


def test_lines_are_aligned_with_the_remedy_below_and_counted(capsys, gaps):
    code, text = run(capsys, "--only", "fine", "odd", "broken")
    assert code == 1
    assert text.splitlines() == [
        "ok    fine    all of it",
        "warn  odd     half of it",
        "              Add the rest.",
        "fail  broken  none of it",
        "              Add it.",
        "",
        "1 ok, 1 warnings, 1 failed, 0 skipped",
    ]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["fine"], 0), (["fine", "odd"], 0), (["odd", "--strict"], 1), (["fine", "broken"], 1)],
)
def test_the_exit_code_is_1_for_a_failure_and_with_strict_for_a_warning(
    capsys, gaps, arguments, code
):
    assert run(capsys, "--only", *arguments)[0] == code


def test_json_is_one_object_a_line(capsys, gaps):
    _code, text = run(capsys, "--json", "--only", "fine", "odd")
    assert [json.loads(each) for each in text.splitlines()] == [
        {"name": "fine", "mark": "ok", "found": "all of it", "remedy": ""},
        {"name": "odd", "mark": "warn", "found": "half of it", "remedy": "Add the rest."},
    ]


def test_the_list_has_every_name_once_and_an_unknown_one_is_refused(capsys):
    names = run(capsys, "--list")[1].split()
    assert sorted(names) == sorted({*CHECKS, *EXAMINATIONS})
    with pytest.raises(CommandError, match=r"No check is called nothing\. See --list"):
        call_command("doctor", "--only", "nothing")


def test_the_health_checks_are_those_of_readyz_in_its_words():
    set_running()
    assert {each.mark for each in lines(*CHECKS)} == {"ok"}
    hotpath.client().delete(sweeping.BEAT_KEY)
    health.forget()
    rows = {row.name: row.line for row in running.examine(list(CHECKS)).rows}
    assert rows["beat"].mark == "fail"
    assert f"{rows['beat'].found} {rows['beat'].remedy}." == (
        "The scheduler is not running. Calls continue. Reports, books and history are not updated. "
        "Start: celery -A poolsite beat."
    )
    assert {row.mark for name, row in rows.items() if name != "beat"} == {"ok"}


def test_what_never_answers_and_what_is_broken_are_lines_and_hide_no_other(monkeypatch, gaps):
    goes_on = threading.Event()

    def hangs() -> Iterator[DoctorLine]:
        goes_on.wait()
        yield DoctorLine("ok", "late")

    def breaks() -> Iterator[DoctorLine]:
        raise LookupError(f"with {django_settings.SECRET_KEY} in it")

    monkeypatch.setitem(EXAMINATIONS, "hangs", operations.Examination("hangs", hangs, 0.1))
    monkeypatch.setitem(EXAMINATIONS, "breaks", operations.Examination("breaks", breaks))
    try:
        report = running.examine(["fine", "hangs", "breaks"])
    finally:
        goes_on.set()
    assert report.is_hanging
    assert [(row.name, row.line.mark, row.line.found) for row in report.rows] == [
        ("fine", "ok", "all of it"),
        ("hangs", "fail", "No answer within 0.1 s"),
        ("breaks", "fail", "This check failed: LookupError: with *** in it"),
    ]


def test_a_health_check_that_hangs_without_being_chosen_is_no_failure(monkeypatch, capsys):
    goes_on = threading.Event()

    def hangs() -> Finding:
        goes_on.wait()
        return Finding("late")

    monkeypatch.setitem(CHECKS, "hangs", Check("hangs", "Hangs", hangs))
    monkeypatch.setitem(CHECKS, "quick", Check("quick", "Quick", lambda: Finding("1")))
    monkeypatch.setattr(health, "CHECK_SECONDS", patient(1))
    monkeypatch.setattr(doctor.os, "_exit", sys.exit)
    health.forget()
    try:
        assert run(capsys, "--only", "quick")[0] == 0
        assert run(capsys, "--only", "quick", "hangs")[0] == 1
    finally:
        goes_on.set()
        health.forget()


def test_settings_that_a_server_refuses_and_those_worth_a_warning(settings: Any):
    assert line("settings").mark == "ok"
    settings.SECRET_KEY = "x" * 60
    settings.ALLOWED_HOSTS = ["*"]
    assert [each.mark for each in lines("settings")] == ["fail", "fail"]
    settings.METRICS_TOKEN, settings.BEHIND_TLS = "", False
    advised = lines("deploy")
    assert {each.mark for each in advised} == {"warn"}
    told = " ".join(each.found for each in advised)
    assert "POOLSITE_METRICS_TOKEN is not set" in told
    assert "POOLSITE_BEHIND_TLS is not set" in told
    assert "poolsite@localhost" in told


def test_a_mail_server_that_takes_the_log_in_and_a_test_mail(settings: Any, capsys):
    settings.EMAIL_BACKEND, settings.EMAIL_HOST = SMTP, "127.0.0.1"
    settings.EMAIL_HOST_USER = "console"
    settings.EMAIL_HOST_PASSWORD = "known to few"
    with mail_server(password="known to few") as server:
        settings.EMAIL_PORT = server.port
        found = line("mail")
        assert (found.mark, server.mails) == ("ok", [])
        assert "no TLS, logged in" in found.found
        code, text = run(capsys, "--only", "mail", "--mail-to", "olga@example.com")
        assert code == 0
        assert "mail.test" in text
        assert len(server.to("olga@example.com")) == 1
        settings.EMAIL_HOST_PASSWORD = "guessed"
        refused = line("mail")
    assert refused.mark == "fail"
    assert "the log-in was refused: 535 wrong password" in refused.found


def test_a_mail_server_that_is_away_or_turns_callers_away(settings: Any):
    settings.EMAIL_BACKEND, settings.EMAIL_HOST = SMTP, "127.0.0.1"
    settings.EMAIL_PORT = free_port()
    found = line("mail")
    assert found.mark == "fail"
    assert "Connection refused" in found.found
    with mail_server() as server:
        settings.EMAIL_PORT, server.away = server.port, 1
        assert "421 come back later" in line("mail").found


def webhook(url: str) -> None:
    WebhookEndpoint.objects.create(name="hook", url=url, events=["*"])


def test_each_webhook_that_cannot_be_reached_is_named_without_its_path(settings: Any):
    assert line("webhooks").mark == "skip"
    settings.OUTGOING_PRIVATE_ADDRESSES = True
    with mail_server() as server:
        webhook(f"http://127.0.0.1:{server.port}/hook")
        assert line("webhooks") == DoctorLine("ok", "reachable: 1 of 1")
        closed = free_port()
        webhook(f"http://127.0.0.1:{closed}/token-in-the-path")
        fine, broken = lines("webhooks")
        assert fine == DoctorLine("ok", "reachable: 1 of 2")
        assert broken.mark == "fail"
        assert broken.found.startswith(f"http://127.0.0.1:{closed}: ConnectionRefusedError")
        assert "token-in-the-path" not in broken.found
        webhook(f"https://127.0.0.1:{server.port}/no-tls-there")
        assert "SSL" in lines("webhooks")[2].found
        assert not server.mails


def test_a_webhook_inside_a_private_network_is_refused_as_when_it_is_sent():
    webhook("http://127.0.0.1:8080/")
    assert "inside a private network" in line("webhooks").found


def test_a_gateway_that_is_away_is_named_by_its_setting(settings: Any):
    assert line("providers").mark == "skip"
    settings.BILLING_GATEWAY_URL = f"http://127.0.0.1:{free_port()}/send"
    assert line("providers").mark == "fail"
    assert line("providers").found.startswith("POOLSITE_GATEWAY_URL (http://127.0.0.1:")
    with mail_server() as server:
        settings.BILLING_GATEWAY_URL = f"http://127.0.0.1:{server.port}/send"
        assert line("providers").mark == "ok"


def test_the_provider_of_log_ins_is_asked_for_its_configuration_and_keys(settings: Any):
    assert line("oidc").mark == "skip"
    with oidc_provider() as provider:
        settings.OIDC_ISSUER = provider.issuer
        found = line("oidc")
        assert (found.mark, found.found.partition(" read in ")[0]) == (
            "ok",
            f"{provider.issuer}: configuration and keys",
        )
        provider.faults["document"] = {"issuer": "https://elsewhere.example"}
        assert "calls itself 'https://elsewhere.example'" in line("oidc").found
        provider.faults["document"] = {"jwks_uri": f"{provider.issuer}/nothing"}
        assert line("oidc").mark == "fail"
    assert line("oidc").mark == "fail"
    assert line("oidc").remedy == "Correct POOLSITE_OIDC_ISSUER, or start the provider."


def test_static_files_that_are_not_collected_or_of_another_release(settings: Any, tmp_path: Path):
    settings.STATIC_ROOT = tmp_path / "static"
    assert line("static").mark == "fail"
    call_command("collectstatic", interactive=False, verbosity=0)
    assert line("static").mark == "ok"
    (settings.STATIC_ROOT / "tokens.css").write_text("/* an older one */")
    (settings.STATIC_ROOT / "favicon.svg").unlink()
    missing, other = lines("static")
    assert "not collected: favicon.svg" in missing.found
    assert "of another release: tokens.css" in other.found


def test_folders_that_cannot_be_written_and_a_storage_that_keeps_nothing(
    settings: Any, tmp_path: Path
):
    assert {each.mark for each in lines("disk")} <= {"ok", "warn"}  # a developer's disk may be full
    assert line("attachments").mark == "ok"
    settings.DATA_DIR = tmp_path / "not made"
    assert "can't be written: No such file or directory" in lines("disk")[0].found
    (tmp_path / "file").write_text("")
    settings.STORAGES = {
        **settings.STORAGES,
        "attachments": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": str(tmp_path / "file" / "below")},
        },
    }
    assert "FileSystemStorage: NotADirectoryError" in line("attachments").found


@pytest.mark.needs("root")
def test_another_user_than_the_sites_is_told_so_and_leaves_no_file(settings: Any, tmp_path: Path):
    settings.DATA_DIR = tmp_path
    os.chown(tmp_path, 65534, -1)
    owner = lines("disk")[0]
    assert owner.mark == "warn"
    assert "doctor runs as root, but POOLSITE_DATA_DIR belongs to" in owner.found
    assert line("attachments").mark == "skip"
