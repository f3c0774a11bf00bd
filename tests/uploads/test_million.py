"""The limits only stop hostile files: a file of a million rows is read, with the same memory."""

from pathlib import Path

import pytest

from poolsite.table_reader.limits import MEMORY_BYTES, ROWS_LIMIT
from tests.uploads.reading import read_in_child
from tests.uploads.workbooks import SHEET, STRINGS, saved, strings, workbook, worksheet

pytestmark = pytest.mark.prove


def numbers() -> list[str]:
    return ["number", *(f"138{place:08}" for place in range(ROWS_LIMIT))]


def test_a_workbook_of_a_million_different_texts_is_read(tmp_path: Path) -> None:
    rows = "".join(
        f'<row r="{place + 1}"><c r="A{place + 1}" t="s"><v>{place}</v></c></row>'
        for place in range(ROWS_LIMIT + 1)
    )
    content = workbook({SHEET: worksheet(rows), STRINGS: strings(*numbers())})
    found = read_in_child(saved(tmp_path, content))
    assert (found.error, found.rows) == ("", ROWS_LIMIT + 1)
    assert found.peak_bytes < MEMORY_BYTES / 2


def test_a_csv_of_a_million_rows_is_read(tmp_path: Path) -> None:
    found = read_in_child(saved(tmp_path, "\n".join(numbers()).encode(), "file.csv"))
    assert (found.error, found.rows) == ("", ROWS_LIMIT + 1)
    assert found.peak_bytes < MEMORY_BYTES / 2
