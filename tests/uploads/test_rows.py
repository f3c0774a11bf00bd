"""Workbooks are read as openpyxl, the reference, reads them, and as people write them."""

import datetime as dt
import io
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poolsite.table_files import read_cells
from poolsite.table_reader.cells import Formula
from poolsite.table_reader.limits import Budget, UnreadableFileError
from poolsite.table_reader.xlsx_rows import xlsx_rows
from tests.uploads.workbooks import (
    BOOK,
    BOOK_LINKS,
    KINDS,
    MAIN,
    ONE_ROW,
    SHEET,
    STRINGS,
    STYLES,
    book,
    parts_of,
    saved,
    strings,
    workbook,
    worksheet,
)


def rows_of(content: bytes) -> list[list[str]]:
    return [list(row) for row in xlsx_rows(io.BytesIO(content), Budget())]


def cells(xml: str, **more: str) -> list[str]:
    changes = {SHEET: worksheet(f"<row>{xml}</row>"), **more}
    return rows_of(workbook(changes))[0]


def as_openpyxl(content: bytes) -> list[list[str]]:
    """Return the rows as openpyxl reads them, without empty cells at the end of each."""
    sheet = openpyxl.load_workbook(io.BytesIO(content), data_only=True).worksheets[0]
    rows = [[_text(value) for value in row] for row in sheet.iter_rows(values_only=True)]
    return [_cut(row) for row in rows]


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)[:300]


def _cut(row: list[str]) -> list[str]:
    while row and not row[-1]:
        row = row[:-1]
    return row


def _whole(rows: list[list[str]]) -> list[list[str]]:
    """Return the rows without empty ones at the end: a library may add them to the sheet's size."""
    found = [_cut(row) for row in rows]
    while found and not found[-1]:
        found.pop()
    return found


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn"]), max_size=12)
VALUES = st.one_of(
    st.none(),
    TEXTS.filter(lambda text: not text.startswith("=")),
    st.integers(-(10**17), 10**17),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.datetimes(*(dt.datetime.fromisoformat(day) for day in ("1900-03-02", "9999-12-30"))),
    st.times(),
    st.timedeltas(dt.timedelta(0), dt.timedelta(900)),
)


@settings(max_examples=60)
@given(st.lists(st.lists(VALUES, max_size=4), max_size=4))
def test_what_the_library_writes_is_read_as_the_library_reads_it(rows) -> None:
    made = openpyxl.Workbook()
    for row in rows:
        made.active.append(row)
    file = io.BytesIO()
    made.save(file)
    assert _whole(rows_of(file.getvalue())) == _whole(as_openpyxl(file.getvalue()))


FORMATS = (
    "yyyy-mm-dd",
    "[h]:mm:ss",
    "[Red]0.00",
    '"day" 0',
    "General",
    "h:mm AM/PM",
    "0.0",
    "mm:ss",
)


@settings(max_examples=60)
@given(st.sampled_from(FORMATS), st.floats(0, 100_000) | st.integers(0, 100_000), st.booleans())
def test_a_number_with_a_format_is_read_as_the_library_reads_it(code, value, from_1904) -> None:
    made = openpyxl.Workbook()
    if from_1904:
        made.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
    cell = made.active.cell(1, 1, value)
    cell.number_format = code
    file = io.BytesIO()
    made.save(file)
    assert _whole(rows_of(file.getvalue())) == _whole(as_openpyxl(file.getvalue()))


@pytest.mark.parametrize(
    ("xml", "texts"),
    [
        ("<c><v>13800000001.0</v></c>", ["13800000001"]),
        ("<c><v>1.38E+10</v></c>", ["13800000000"]),
        ("<c><v>1e20</v></c>", ["1e+20"]),
        ("<c><v>0.5</v></c><c><v>007</v></c>", ["0.5", "7"]),
        ("<c><v> 12 </v></c><c><v>1_0</v></c><c><v>x</v></c>", ["12", "1_0", "x"]),
        ('<c t="b"><v>1</v></c><c t="b"><v>0</v></c>', ["True", "False"]),
        ('<c t="e"><v>#N/A</v></c><c t="str"><v>a</v></c>', ["#N/A", "a"]),
        ('<c t="d"><v>2026-01-02T03:04:05</v></c>', ["2026-01-02 03:04:05"]),
        ('<c t="d"><v>2026-01-02</v></c><c t="d"><v>TT</v></c>', ["2026-01-02", "TT"]),
        ('<c t="inlineStr"><is><t>a</t></is></c>', ["a"]),
        ('<c t="inlineStr"><is><r><t>a</t></r><rPh><t>x</t></rPh><r><t>b</t></r></is></c>', ["ab"]),
        ('<c r="C1"><v>3</v></c><c r="A1"><v>1</v></c>', ["1", "", "3"]),
        ('<c r="AX1"><v>50</v></c><c r="AY1"><v>51</v></c>', [*[""] * 49, "50"]),
        ('<c t="inlineStr"><is><t>' + "x" * 400 + "</t></is></c>", ["x" * 300]),
        ("<c/><c><v/></c><c><v>1</v></c>", ["", "", "1"]),
        ("<c><v>" + "1" * 20 + "</v></c>", ["1" * 20]),
    ],
)
def test_a_cell_is_read_as_a_person_reads_it(xml, texts) -> None:
    assert cells(xml) == texts


def test_formulas_are_told_from_values_with_what_they_showed() -> None:
    found = cells(
        '<c><f>A1+1</f><v>2.0</v></c><c><f t="shared" si="0" ref="B1:C1">A2*2</f><v>4</v></c>'
        '<c><f t="shared" si="0"/><v>6</v></c><c><f>1/3</f></c><c t="str"><f>T()</f><v>x</v></c>'
    )
    assert all(type(cell) is Formula for cell in found)
    assert found == ["=A1+1", "=A2*2", "=A2*2", "=1/3", "=T()"]
    assert [cell.shown for cell in found] == ["2", "4", "6", "", "x"]


def test_missing_rows_are_empty_so_that_every_row_keeps_its_number() -> None:
    rows = '<row r="2"><c><v>2</v></c></row><row/><row r="5"><c><v>5</v></c></row>'
    assert rows_of(workbook({SHEET: worksheet(rows)})) == [[], ["2"], [], [], ["5"]]


def test_rows_out_of_order_are_refused_not_dropped() -> None:
    rows = '<row r="2"><c><v>2</v></c></row><row r="1"><c><v>1</v></c></row>'
    with pytest.raises(UnreadableFileError, match="Row 1 of the sheet comes after row 2"):
        rows_of(workbook({SHEET: worksheet(rows)}))


def test_shared_texts_have_their_runs_and_not_how_they_are_read_aloud() -> None:
    text = (
        f'<sst xmlns="{MAIN}"><si><r><t>号</t></r><rPh><t>hao</t></rPh><r><t>码</t></r></si></sst>'
    )
    assert rows_of(workbook({STRINGS: text})) == [["号码"]]


@pytest.mark.parametrize("number", [14, 22, 30, 57])
def test_formats_without_a_text_that_show_dates_are_known(number: int) -> None:
    styles = (
        f'<styleSheet xmlns="{MAIN}"><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>'
        f'<cellXfs><xf numFmtId="0"/><xf numFmtId="{number}"/></cellXfs></styleSheet>'
    )
    found = cells('<c s="0"><v>45000</v></c><c s="1"><v>45000</v></c>', **{STYLES: styles})
    assert found == ["45000", "2023-03-15 00:00:00"]


def test_the_first_sheet_of_the_book_is_read_whatever_its_part_is_called() -> None:
    parts = parts_of(sheet="/Data\\First.XML")
    moved = {SHEET: None, "data/first.xml": parts[SHEET]}
    charts = f'<Relationship Id="c" Type="{KINDS}/chartsheet" Target="c.xml"/></Relationships>'
    changes = {
        BOOK: book('<sheet name="C" r:id="c"/><sheet name="S" r:id="r0"/><sheet r:id="r1"/>'),
        BOOK_LINKS: parts[BOOK_LINKS].replace("</Relationships>", charts),
    }
    assert rows_of(workbook({**moved, **changes}, sheet="/Data\\First.XML")) == [["13800000001"]]


def test_prefixes_and_the_strict_form_of_the_format_make_no_difference() -> None:
    prefixed = worksheet(ONE_ROW).replace("<", "<x:").replace("<x:/", "</x:").replace("<x:?", "<?")
    prefixed = prefixed.replace("xmlns=", "xmlns:x=")
    assert rows_of(workbook({SHEET: prefixed})) == [["13800000001"]]
    strict = {
        name: text.replace(MAIN, "http://purl.oclc.org/ooxml/spreadsheetml/main").replace(
            KINDS, "http://purl.oclc.org/ooxml/officeDocument/relationships"
        )
        for name, text in parts_of().items()
    }
    assert rows_of(workbook(strict)) == [["13800000001"]]


def test_a_workbook_without_shared_texts_or_styles_is_read() -> None:
    links = parts_of()[BOOK_LINKS].replace("sharedStrings", "other").replace("styles", "another")
    inline = worksheet("<row><c><v>1</v></c></row>")
    changes = {STRINGS: None, STYLES: None, BOOK_LINKS: links, SHEET: inline}
    assert rows_of(workbook(changes)) == [["1"]]


def test_a_large_picture_is_no_reason_to_refuse_a_workbook(tmp_path: Path) -> None:
    path = saved(tmp_path, workbook(pad=5 * 1024 * 1024))
    assert list(read_cells(path, path.name)) == [["13800000001"]]


def test_two_cells_of_one_text_have_it_both() -> None:
    found = cells('<c t="s"><v>1</v></c><c t="s"><v>1</v></c>', **{STRINGS: strings("a", "b")})
    assert found == ["b", "b"]
