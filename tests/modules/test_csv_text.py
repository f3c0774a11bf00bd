"""The guard of every export, checked with an independent model of spreadsheets."""

import csv
import io
import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from poolsite.csv_text import OPERATORS, csv_lines, safe_cell
from tests.house.source import ROOT
from tests.support.spreadsheet import computed_cells, is_computed

UNSEEN = "\x00 \t\x0b\x0c\x1f\x7f\x85\u00a0\u00ad\u200b\u200f\u2028\u2060\u3000\ufe0f\ufeff\u0301"
ATTACKS = [
    "=1+1",
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "=cmd|'/C calc'!A0",
    "＝1+1",
    "﹢1+1",
    "\u22121+1",
    "\tx",
    *(f"{unseen}=1+1" for unseen in UNSEEN),
    *(
        f"x{cut}=1+1"
        for cut in (";", "\t", "\r", "\n", "\r\n", "\x0b", "\x0c", "\u2028", "; ", ';"')
    ),
    '"=1+1',
    '";=1+1',
    'x"";"=1+1',
    "+8613800130000;=1+1",
]
hostile = st.text(
    st.one_of(
        st.sampled_from(OPERATORS),
        st.sampled_from(UNSEEN + ",;|\"'\r\n"),
        st.sampled_from("1A.!("),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=12,
)


def written(rows: list[list[str]]) -> str:
    return "".join(csv_lines(["head"], rows))


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_a_spreadsheet_computes_gets_a_quote(attack: str) -> None:
    raw = io.StringIO(newline="")
    csv.writer(raw).writerow(["before", attack, "after"])
    assert computed_cells(raw.getvalue()) != [] or attack == "\tx"
    assert computed_cells(written([["before", attack, "after"]])) == []
    assert "'" in safe_cell(attack)


@given(st.lists(st.lists(hostile, min_size=1, max_size=4), max_size=4))
@example([["x", '";=1+1', "y"], ["\x00=1"]])
def test_no_export_is_computed_whatever_is_in_it(rows: list[list[str]]) -> None:
    assert computed_cells(written(rows)) == []


@given(hostile)
def test_nothing_but_quotes_is_added(text: str) -> None:
    cell = safe_cell(text)
    assert cell.replace("'", "") == text.replace("'", "")
    assert safe_cell(cell) == cell


def test_every_character_that_reads_as_an_operator_is_known() -> None:
    every = (chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000)
    alike = {char for char in every if unicodedata.normalize("NFKC", char)[0] in "=+-@\u2212"}
    assert alike == set(OPERATORS)


@pytest.mark.parametrize(
    "plain",
    [
        "+8613800130000",
        "-32.7600",
        "2026-11-25T10:00:00+08:00",
        "east-1",
        "nina@example.com",
        "a = b; c + d",
        "https://example.com/?a=1",
        "",
        "电话: +86 138",
    ],
)
def test_what_is_no_formula_stays_as_it_is(plain: str) -> None:
    assert safe_cell(plain) == plain
    assert computed_cells(written([[plain]])) == []


def test_numbers_are_written_as_they_are() -> None:
    assert [safe_cell(value) for value in (None, 0, -5, -0.25)] == ["", "0", "-5", "-0.25"]


def test_there_is_no_other_way_to_write_a_csv_file() -> None:
    """The demo writes a file to be uploaded, as a customer would."""
    folders = ("poolsite", "numbers", "queueing", "billing")
    files = (file for folder in folders for file in (ROOT / folder).rglob("*.py"))
    found = {str(each.relative_to(ROOT)) for each in files if "csv.writer(" in each.read_text()}
    assert found == {"poolsite/csv_text.py", "billing/demo/campaign.py"}


def test_the_model_knows_formulas_from_texts() -> None:
    assert is_computed(" \u200b=1")
    assert not is_computed("'=1")
    assert not is_computed("-5.0")
    assert not is_computed("a=1")
    assert computed_cells('a,"x;=1"\r\n') == ['=1"']
    assert computed_cells('"a,=1",b\r\n') == []
