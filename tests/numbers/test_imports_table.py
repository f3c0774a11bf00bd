"""Files as people and attackers send them: read as text, or refused with one sentence."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numbers.imports.table import read_rows
from poolsite.csv_text import safe_cell
from poolsite.table_reader.limits import ROWS_LIMIT, UnreadableFileError
from tests.numbers.import_world import xlsx_file, zip_of


def numbers_of(folder: Path, content: bytes, name: str = "a.csv") -> list[str]:
    path = folder / name
    path.write_bytes(content)
    return [row.number for row in read_rows(path, name)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("table")


@pytest.mark.parametrize(
    ("content", "numbers"),
    [
        (b"number,label\n1,a\n2,b\n", ["1", "2"]),
        (b"1\n2\n", ["1", "2"]),
        (b"label;number\nx;1\n", ["1"]),
        (b"\xef\xbb\xbfnumber\r\n1\r\n", ["1"]),
        ("号码,名称\n1,甲\n".encode("gb18030"), ["1"]),
        ("号码,名称\n1,甲\n".encode(), ["1"]),
        (b'"1\n2",x\n3,y\n', ['"1', '2",x', "3"]),
        (b'1,"two\nlines"\n3,y\n', ["1", "3"]),
        (b'1,5" disk\n3,y\n', ["1", "3"]),
        (b"1\x002\n", ["1\ufffd2"]),
        (b"1\t2\n", ["1"]),
        (b"\n\n1\n", ["", "", "1"]),
    ],
)
def test_a_csv_is_read_whatever_program_wrote_it(folder, content, numbers) -> None:
    assert numbers_of(folder, content) == numbers


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.csv", b"", "empty"),
        ("a.csv", b"1\n\xff\xff\xff\n", "neither UTF-8 nor GB"),
        ("a.csv", b"1" * 10_000_000, "longer than"),
        ("a.csv", b"1\n" * (ROWS_LIMIT + 2), "more than"),
        ("a.exe", b"1\n", "neither CSV nor XLSX"),
        ("a.xlsx", b"1\n", "XLSX"),
        ("a.xlsx", zip_of({"x": b"1"}), "XLSX"),
        ("a.xlsx", zip_of({f"{n}": b"" for n in range(1_001)}), "too many parts"),
    ],
)
def test_a_file_that_cannot_be_taken_is_refused_in_one_sentence(
    folder, name, content, told
) -> None:
    with pytest.raises(UnreadableFileError, match=told):
        numbers_of(folder, content, name)


def test_a_sheet_gives_whole_numbers_without_a_decimal_point(tmp_path) -> None:
    path = xlsx_file(tmp_path, [["number"], [13800000001.0], [None], ["+1"]])
    assert [row.number for row in read_rows(path, path.name)] == ["13800000001", "", "+1"]


@settings(max_examples=150)
@given(st.binary(max_size=400))
def test_any_bytes_as_csv_are_read_or_refused(folder, content) -> None:
    try:
        rows = numbers_of(folder, content)
    except UnreadableFileError:
        return
    assert all("\x00" not in text for text in rows)


@settings(max_examples=60)
@given(st.binary(max_size=300), st.integers(0, 4_000), st.booleans())
def test_a_damaged_workbook_is_read_or_refused(folder, noise, place, packed) -> None:
    whole = xlsx_file(folder, [["number"], [1], [2]], "whole.xlsx").read_bytes()
    sheet = {"xl/worksheets/sheet1.xml": noise, "xl/workbook.xml": noise}
    content = zip_of(sheet) if packed else whole[:place] + noise + whole[place + len(noise) :]
    try:
        rows = numbers_of(folder, content, "a.xlsx")
    except UnreadableFileError:
        return
    assert all(isinstance(text, str) for text in rows)


def test_a_number_with_plus_is_exported_usable_and_a_formula_quoted() -> None:
    assert safe_cell("+8613800130000") == "+8613800130000"
    assert safe_cell("-32.7600") == "-32.7600"  # an amount of money
    assert safe_cell("-32.7600-1") == "'-32.7600-1"
    assert safe_cell("=1+1") == "'=1+1"
    assert safe_cell("+86-CALL") == "'+86-CALL"
    assert safe_cell(" =1") == "' =1"
