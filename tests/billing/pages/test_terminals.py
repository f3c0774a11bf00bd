"""The table of terminals in the browser: a file is stored, read by a worker, reported by row."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from billing import abilities
from billing.models import TerminalFile, TerminalFilePart, TerminalListing
from billing.services import terminals
from billing.services.terminals import terminals_upload
from poolsite.access.models import AuditEntry
from poolsite.jobs import runner
from poolsite.jobs.models import Job
from tests.billing.pages.page_world import browser, operator

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

PAGE = "/billing/terminals/"
TEXT = "number,yuexin\n13800138000,yes\n13800138001,no\n1380013OOOO,yes\n13800138002,maybe\n"


@pytest.fixture
def finance(settings: Settings) -> Client:
    """An operator with the grant finance. No second factor is required (as in the demo)."""
    settings.SECOND_FACTOR_FOR_MONEY = False
    abilities.reset()
    return browser(operator("olga", "finance"))


def uploaded(client: Client, text: str | bytes, name: str = "terminals.csv") -> Any:
    data = text if isinstance(text, bytes) else text.encode()
    return client.post(f"{PAGE}upload/", {"file": SimpleUploadedFile(name, data)})


def work() -> Job:
    """Run the waiting job as a worker does."""
    job = Job.objects.filter(kind=terminals.READ_KIND).latest("pk")
    runner.run(job.pk)
    job.refresh_from_db()
    return job


def table() -> dict[str, bool]:
    return dict(TerminalListing.objects.values_list("number", "supports_yuexin"))


def test_a_file_is_read_into_the_table_and_its_bad_rows_are_told(finance: Client) -> None:
    assert uploaded(finance, TEXT).status_code == 302
    assert TerminalFilePart.objects.exists()
    assert work().state == "done"
    assert table() == {"13800138000": True, "13800138001": False}
    found = TerminalFile.objects.get()
    assert (found.taken, found.refused) == (2, 2)
    assert [row for row, _ in found.faults] == [4, 5]
    assert not TerminalFilePart.objects.exists()
    said = finance.get(PAGE, {"number": "+86 138 0013 8000"}).content.decode()
    assert "Yuexin</span>" in said  # the same terminal, in whatever format it is written
    assert "terminals.csv" in said
    assert "neither yes nor no" in said
    assert "13800138000" in said
    actions = set(AuditEntry.objects.values_list("action", flat=True))
    assert {"billing.terminals_upload", "billing.abilities_import"} <= actions


def test_the_newer_answer_counts_and_what_is_not_in_the_file_stays(finance: Client) -> None:
    uploaded(finance, TEXT)
    work()
    uploaded(finance, "13800138001,yes\n13800138009,no\n")
    work()
    assert table() == {
        "13800138000": True,
        "13800138001": True,
        "13800138009": False,
    }


@pytest.mark.parametrize(
    ("name", "data"), [("t.pdf", b"x"), ("t.csv", b""), ("t", b"x"), ("t.csv", None)]
)
def test_a_file_that_cannot_be_read_leaves_nothing(
    finance: Client, name: str, data: bytes | None
) -> None:
    empty = finance.post(f"{PAGE}upload/", {}) if data is None else uploaded(finance, data, name)
    assert empty.status_code == 302
    assert not TerminalFile.objects.exists()
    assert not Job.objects.filter(kind=terminals.READ_KIND).exists()


def test_rows_that_are_no_table_end_the_job_with_a_sentence(finance: Client) -> None:
    uploaded(finance, b"PK\x03\x04 no sheet", "broken.xlsx")
    job = work()
    assert job.state == "failed"
    assert job.message
    assert job.message in finance.get(PAGE).content.decode()
    assert table() == {}
    assert not TerminalFilePart.objects.exists()


def test_one_file_at_a_time(finance: Client) -> None:
    uploaded(finance, TEXT)
    uploaded(finance, "13800138001,yes\n")
    assert TerminalFile.objects.count() == 1
    assert "data-progress" in finance.get(PAGE).content.decode()


def test_a_worker_that_dies_in_the_file_is_followed_by_one_that_goes_on(
    finance: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminals, "CHUNK", 3)
    rows = [f"1380013{place:04d},{'yes' if place % 2 else 'no'}" for place in range(10)]
    found = terminals_upload(actor="test", file_name="t.csv", data=["\n".join(rows).encode()])
    real = terminals.list_terminals
    calls: list[int] = []

    def dying(chunk: dict[str, bool]) -> None:
        calls.append(len(chunk))
        if len(calls) == 3:
            raise KeyboardInterrupt  # like a killed process
        real(chunk)

    monkeypatch.setattr(terminals, "list_terminals", dying)
    with pytest.raises(KeyboardInterrupt):
        runner.run(found.job_id)
    found.refresh_from_db()
    assert (found.next_row, found.taken, len(table())) == (6, 6, 6)
    monkeypatch.setattr(terminals, "list_terminals", real)
    Job.objects.filter(pk=found.job_id).update(heartbeat_at="2026-01-01T00:00:00Z")
    assert work().state == "done"
    found.refresh_from_db()
    assert (found.taken, found.refused, len(table())) == (10, 0, 10)


def test_an_operator_without_finance_looks_and_does_not_upload() -> None:
    plain = browser(operator())
    assert b"data-file-form" not in plain.get(PAGE).content
    assert uploaded(plain, TEXT).status_code == 403
    assert not TerminalFile.objects.exists()
