"""Hostile files on pages that read them at once: refused with a sentence, at a bounded cost."""

import subprocess
from collections.abc import Callable
from datetime import timedelta
from typing import Final

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.utils import timezone

from numbers.models import SpamLabel
from poolsite.access.models import User
from queueing.admission.models import TaskBatch
from tests.admission.people import make_gate
from tests.numbers.people import make_pool, operator
from tests.uploads.reading import has_ended, memory_from_here
from tests.uploads.workbooks import MEBIBYTE, SHEET, repeated, workbook

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("clean_redis"),
    pytest.mark.processes,
]

LABELS: Final = "/pools/east/health/labels/"
BATCHES: Final = "/gates/tower/batches/"
HEAD: Final = b"number,source,label,seen_at\n"
LONG_LINE: Final = "is longer than 65,536 characters"


def bomb() -> bytes:
    sheet = repeated("<worksheet><sheetData><row>", "<c/>", 1024 * MEBIBYTE)
    return workbook({SHEET: sheet})


# The page, the file's name, its content, and the page's message.
FILES: Final[dict[str, tuple[str, str, Callable[[], bytes], str]]] = {
    "labels: one cell": (LABELS, "a.csv", lambda: HEAD + b'1,"' + b"x" * 7_900_000, LONG_LINE),
    "labels: an open quote": (
        LABELS,
        "a.csv",
        lambda: HEAD + b'1,"' + b"x\n" * 3_900_000,
        "Line 2: quotation mark not closed.",
    ),
    "labels: NUL": (LABELS, "a.csv", lambda: HEAD + b"\0" * 7_900_000, LONG_LINE),
    "labels: rows": (LABELS, "a.csv", lambda: HEAD + b"1\n" * 3_900_000, "more than 50,000 rows"),
    "labels: empty rows": (LABELS, "a.csv", lambda: HEAD + b"\n" * 7_900_000, "1,000,000 rows"),
    "labels: 10 million rows": (
        LABELS,
        "a.csv",
        lambda: HEAD + b"1\n" * 10_000_000,
        "larger than 8 MB",
    ),
    "labels: a workbook": (LABELS, "a.xlsx", bomb, "unpacks to too much"),
    "labels: no workbook": (LABELS, "a.xlsx", lambda: HEAD, "is not a readable XLSX workbook"),
    "batch: one cell": (BATCHES, "a.csv", lambda: b'd,"' + b"x" * 31_000_000, LONG_LINE),
    "batch: an open quote": (
        BATCHES,
        "a.csv",
        lambda: b'd,"' + b"x\n" * 100_000,
        "Row 1 (d): quotation mark not closed",
    ),
    "batch: NUL": (BATCHES, "a.csv", lambda: b"\0" * 31_000_000, LONG_LINE),
    "batch: NUL in a payload": (
        BATCHES,
        "a.csv",
        lambda: b"d,\0\n" * 100_000,
        "Row 1 (d): the payload contains control characters",
    ),
    "batch: 10 million rows": (
        BATCHES,
        "a.csv",
        lambda: b"1\n" * 10_000_000,
        "more than 200,000 rows",
    ),
    "batch: empty rows": (BATCHES, "a.csv", lambda: b"\n" * 31_000_000, "1,000,000 rows"),
    "batch: a workbook": (BATCHES, "a.xlsx", bomb, "is not UTF-8"),
}


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The processes that were started to read files."""
    found: list[int] = []

    class Noted(subprocess.Popen):
        def __init__(self, *args, **kwargs) -> None:
            super().__init__(*args, **kwargs)
            found.append(self.pid)

    monkeypatch.setattr(subprocess, "Popen", Noted)
    return found


@pytest.fixture
def client() -> Client:
    make_pool(numbers=1)
    make_gate("tower")
    operator()
    found = Client()
    found.force_login(User.objects.get(username="olive"))
    return found


def body_of(file_name: str, content: bytes) -> bytes:
    day = timezone.localtime() + timedelta(days=1)
    data = {
        "name": "night",
        "opens_at": f"{day:%Y-%m-%dT%H:%M}",
        "closes_at": f"{day + timedelta(days=1):%Y-%m-%dT%H:%M}",
        "skip_bad": "on",
        "file": SimpleUploadedFile(file_name, content),
    }
    return encode_multipart(BOUNDARY, data)


@pytest.mark.parametrize("name", FILES)
def test_a_hostile_file_is_refused_in_a_sentence_and_costs_the_web_process_little(
    client: Client, started: list[int], name: str
) -> None:
    path, file_name, make, told = FILES[name]
    body = body_of(file_name, make())
    client.get(path)  # what any request loads
    grown = memory_from_here()
    response = client.generic("POST", path, body, MULTIPART_CONTENT)
    grew = grown()
    assert response.status_code == 422
    assert told in response.content.decode()
    assert grew < len(body) + 16 * MEBIBYTE  # the test's client copies the body
    assert len(started) == ("larger than" not in told)
    assert all(map(has_ended, started))
    assert not SpamLabel.objects.exists()
    assert not TaskBatch.objects.exists()
