"""The table that the walks produce: which person got which answer."""

from types import SimpleNamespace

import pytest

from tests.access.world import READERS
from tests.support import matrix

AREAS = [f"{kind} {app}" for kind in ("API", "pages", "sockets") for app in range(8)] + ["admin"]


@pytest.fixture(autouse=True)
def _own_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix, "_counts", type(matrix._counts)())


def test_it_shows_what_was_observed_and_marks_what_was_not_expected() -> None:
    for answer, expected in (("ok", True), ("no", True), ("hidden", True), ("ok", False)):
        matrix.observe("pages numbers", "owner", answer, expected=expected)
    matrix.observe("sockets line", "foreign", "4404", expected=True, leaks=2)
    pages, sockets, totals = matrix.table(matrix._counts)[1:]
    assert pages.split()[:4] == ["pages", "numbers", "·", "2/1/1!"]
    assert "0/0/1" in sockets
    assert totals == (
        "5 requests and subscriptions, 1 unexpected answers; foreign: 2 leaks in 1 answers"
    )


def test_each_reader_has_a_column_and_a_kind_of_person_without_one_is_an_error() -> None:
    assert set(READERS) <= set(matrix.COLUMN_OF)
    with pytest.raises(KeyError):
        matrix.observe("admin", "stranger", "ok", expected=True)


def test_it_fits_a_page() -> None:
    for area in AREAS:
        for column in matrix.COLUMNS:
            matrix._counts[area, column, "allowed"] = 1_000 if column == "operators" else 0
            matrix._counts[area, column, "refused"] = matrix._counts[area, column, "tried"] = 730
    lines = matrix.table(matrix._counts)
    assert len(lines) < 40
    assert max(map(len, lines)) <= 120


def test_what_the_workers_saw_is_added() -> None:
    plugin = matrix.MatrixPlugin()
    worker = SimpleNamespace(workeroutput={"matrix": [["admin", "foreign", "refused", 3]]})
    plugin.pytest_testnodedown(worker)
    plugin.pytest_testnodedown(worker)
    plugin.pytest_testnodedown(SimpleNamespace())  # one that died reports nothing
    assert matrix._counts["admin", "foreign", "refused"] == 6
