"""PDF documents: every language, page numbers, the same bytes for the same content."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolsite.paper import WIDTH, Column, Paper, fit, width_of
from tests.support.pdf_text import pages_of, text_of

AT = datetime(2026, 11, 1, tzinfo=UTC)


def document(lines: list[str], rows: int = 0) -> bytes:
    paper = Paper("A title", AT, "A seller")
    for line in lines:
        paper.text(line)
    if rows:
        columns = [Column("Name", 3), Column("Units", 1, is_figure=True)]
        paper.table(columns, [(f"row {n}", f"{n}.00") for n in range(rows)], last_is_total=True)
    return paper.finish()


def test_chinese_latin_and_korean_stand_in_one_line() -> None:
    text = "南京长青零售 “Evergreen”, ¥18,240.61 한국 (a\\b)"
    assert text_of(document([text])).splitlines()[0] == text


@pytest.mark.parametrize(
    ("given_text", "written"),
    [("a🎉b", "a□b"), ("a\x00\tb", "a  b"), ("\N{MINUS SIGN}5", "–5"), ("é", "é")],
)
def test_what_no_font_has_is_marked_and_nothing_breaks(given_text: str, written: str) -> None:
    assert text_of(document([given_text])).splitlines()[0] == written


def test_a_long_table_has_its_head_and_number_on_each_page() -> None:
    found = document([], rows=150)
    text = text_of(found)
    assert pages_of(found) == text.count("Units") == 4
    assert [f"A seller · Page {page} of 4" in text for page in (1, 2, 3, 4)] == [True] * 4
    assert all(f"row {n}\n" in text for n in range(150))


def test_the_same_content_gives_the_same_bytes_and_its_own_moment() -> None:
    first, second = document(["汉字"], 60), document(["汉字"], 60)
    assert first == second
    assert b"20261101000000" in first.replace(b"\\", b"")
    assert document(["汉子"], 60) != first


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=300))
def test_any_text_fits_its_line(text: str) -> None:
    assert width_of(fit(text, 9, WIDTH), 9) <= WIDTH
    assert document([text])
