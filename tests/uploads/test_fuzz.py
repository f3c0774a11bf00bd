"""For any bytes, reading gives rows of texts or one UnreadableFileError."""

import io
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from poolsite.table_files import read_cells
from poolsite.table_reader.csv_rows import csv_rows
from poolsite.table_reader.limits import Budget, UnreadableFileError
from poolsite.table_reader.xlsx_rows import xlsx_rows
from tests.uploads.workbooks import (
    STYLES,
    part,
    parts_of,
    saved,
    strings,
    workbook,
    worksheet,
    zip_of,
)

PARTS = parts_of() | {
    "xl/sharedStrings.xml": strings("13800000001", "b", "号"),
    "xl/worksheets/sheet1.xml": worksheet(
        '<row r="1"><c r="A1" t="s"><v>1</v></c><c r="B1" s="1"><v>45000.5</v></c></row>'
        '<row r="3"><c r="A3" t="inlineStr"><is><t>x</t></is></c><c t="b"><v>1</v></c></row>'
        '<row r="4"><c><f t="shared" si="0">A1</f><v>2</v></c></row>'
    ),
    STYLES: parts_of()[STYLES].replace("</cellXfs>", '<xf numFmtId="14"/></cellXfs>'),
}
NAMES = sorted(PARTS)
FRAGMENTS = sorted(
    {piece for text in PARTS.values() for piece in re.findall(r"<[^>]*>|[^<]+", text)}
)
WHOLE = zip_of({name: part(text) for name, text in PARTS.items()})


def read_or_refuse(read, content: bytes) -> None:
    rows: list[list[str]] = []
    sentence = ""
    try:
        rows = [list(row) for row in read(io.BytesIO(content), Budget())]
    except UnreadableFileError as error:
        sentence = str(error)
    assert len(sentence) < 300
    assert all(isinstance(cell, str) for row in rows for cell in row)


@given(st.binary(max_size=600))
def test_any_bytes(content: bytes) -> None:
    read_or_refuse(csv_rows, content)
    read_or_refuse(xlsx_rows, content)
    read_or_refuse(xlsx_rows, b"PK\3\4" + content)


@given(
    st.text(st.sampled_from('"\n\r,;\t1+a( =\x00号'), max_size=200),
    st.sampled_from(["utf-8", "gb18030"]),
)
def test_any_csv(text: str, encoding: str) -> None:
    read_or_refuse(csv_rows, text.encode(encoding))


@settings(max_examples=200)
@given(
    st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), max_size=6),
    st.integers(0, len(WHOLE)),
)
@example([], len(WHOLE) - 1)
def test_flipped_bytes_and_a_cut_end(flips: list[tuple[int, int]], end: int) -> None:
    content = bytearray(WHOLE)
    for place, value in flips:
        content[place] = value
    read_or_refuse(xlsx_rows, bytes(content))
    read_or_refuse(xlsx_rows, bytes(content[:end]))


@settings(max_examples=200)
@given(st.sampled_from(NAMES), st.lists(st.sampled_from(FRAGMENTS), max_size=5), st.data())
def test_fragments_of_xml_in_other_places(
    name: str, inserted: list[str], data: st.DataObject
) -> None:
    pieces = re.findall(r"<[^>]*>|[^<]+", PARTS[name])
    start = data.draw(st.integers(0, len(pieces)))
    cut = data.draw(st.integers(0, 3))
    changed = "".join([*pieces[:start], *inserted, *pieces[start + cut :]])
    read_or_refuse(
        xlsx_rows, zip_of({key: part(text) for key, text in (PARTS | {name: changed}).items()})
    )


ODD = [
    "",
    "-1",
    "0",
    "1e9",
    "99999999999999999999",
    "nan",
    "inf",
    "A1",
    "ZZZ1",
    "\u0661",
    "#",
    "9" * 400,
]


@settings(max_examples=200)
@given(
    st.sampled_from(NAMES),
    st.integers(0, 40),
    st.sampled_from(ODD) | st.text("aA1<>&;[]hmd", max_size=9),
)
def test_odd_values_of_attributes_and_texts(name: str, place: int, value: str) -> None:
    found = list(re.finditer(r'(?<==")[^"]*(?=")|(?<=>)[^<]+', PARTS[name]))
    hit = found[place % len(found)]
    escaped = value.replace("&", "&amp;").replace("<", "&lt;")
    changed = PARTS[name][: hit.start()] + escaped + PARTS[name][hit.end() :]
    read_or_refuse(
        xlsx_rows, zip_of({key: part(text) for key, text in (PARTS | {name: changed}).items()})
    )


def test_a_part_is_missing() -> None:
    for name in NAMES:
        changes = {key: (None if key == name else text) for key, text in PARTS.items()}
        read_or_refuse(xlsx_rows, workbook(changes))


def test_what_zipfile_itself_writes_is_read() -> None:
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", method) as packed:
            for name, text in PARTS.items():
                packed.writestr(name, text)
        assert next(list(row) for row in xlsx_rows(file, Budget())) == ["b", "2023-03-15 12:00:00"]


@pytest.mark.processes
@settings(
    max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(st.binary(max_size=60), st.integers(0, len(WHOLE)), st.sampled_from(["a.csv", "a.xlsx"]))
def test_the_real_child_reads_or_refuses_too(
    tmp_path: Path, noise: bytes, place: int, name: str
) -> None:
    path = saved(tmp_path, WHOLE[:place] + noise + WHOLE[place + len(noise) :], name)
    rows: list[Sequence[str]] = []
    sentence = ""
    try:
        rows = list(read_cells(path, name))
    except UnreadableFileError as error:
        sentence = str(error)
    assert "stops the program" not in sentence
    assert all(isinstance(cell, str) for row in rows for cell in row)
