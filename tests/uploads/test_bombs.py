"""Hostile files cost a bounded amount of memory and CPU time, in a separate process.

The kernel counts the CPU time of the child, so a busy machine changes nothing.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from poolsite.table_reader.limits import CPU_SECONDS, MEMORY_BYTES, PARTS_LIMIT, ROWS_LIMIT
from tests.uploads.reading import Outcome, read_in_child
from tests.uploads.workbooks import (
    BOOK,
    BOOK_LINKS,
    LINKS,
    MAIN,
    MEBIBYTE,
    ONE_ROW,
    SHEET,
    STRINGS,
    STYLES,
    Part,
    book,
    part,
    repeated,
    saved,
    strings,
    workbook,
    worksheet,
    zip_of,
)

pytestmark = pytest.mark.processes

TOO_MUCH: Final = "unpacks to too much"
NONE: Final = "is not a readable XLSX workbook"
LONG_TAG: Final = "a tag that is too long"
OUT: Final = "too large|too long to read"  # whichever limit the kernel reaches first
GIGABYTE: Final = 1024 * MEBIBYTE
TEXTS: Final = f'<sst xmlns="{MAIN}">'
ROWS: Final = f'<worksheet xmlns="{MAIN}"><sheetData>'
ATTRIBUTES: Final = " ".join(f'a{n}=""' for n in range(200_000))
END: Final = "</sheetData></worksheet>"
PAD: Final = 2 * MEBIBYTE + 100_000  # a file of this size may expand to 200 MiB
LAUGHS: Final = (
    '<!DOCTYPE x [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(12))
    + "]>"
)
ENTITY: Final = '<!DOCTYPE x [<!ENTITY m "13800000002">]>'
PASSWD: Final = '<!DOCTYPE x [<!ENTITY m SYSTEM "file:///etc/passwd">]>'


def sheet_of(
    block: str, size: int, before: str = "", after: str = "", *, is_read: bool = False
) -> Part:
    return repeated(ROWS + before, block, size, after + END, is_read=is_read)


def strings_named(name: str, target: str) -> bytes:
    bomb = repeated(TEXTS, "<si><t>1</t></si>", GIGABYTE, "</sst>")
    return workbook({STRINGS: None, name: bomb}, strings=target)


def row_at(place: str) -> bytes:
    return workbook({SHEET: worksheet(f'<row r="{place}"><c><v>1</v></c></row>')})


def linked(*more: str) -> str:
    sheet = '<Relationship Id="r0" Type="x/worksheet" Target="worksheets/sheet1.xml"/>'
    return f'<Relationships xmlns="{LINKS}">{sheet}{"".join(more)}</Relationships>'


def lying(size: int) -> bytes:
    """Return a workbook with a sheet of a gigabyte, for which the directory states another size."""
    return workbook({SHEET: replace(sheet_of("<row/>", GIGABYTE), size=size)})


def same_part(times: int) -> bytes:
    """Return a ZIP file whose directory has many entries for the same bytes."""
    whole = zip_of({"a": repeated("", "0", GIGABYTE)})
    start = whole.index(b"PK\1\2")
    entry = whole[start : whole.index(b"PK\5\6")]
    end = b"PK\5\6\0\0\0\0" + 2 * times.to_bytes(2, "little")
    end += (times * len(entry)).to_bytes(4, "little") + start.to_bytes(4, "little") + b"\0\0"
    return whole[:start] + entry * times + end


BOMBS: Final[dict[str, tuple[Callable[[], bytes], str]]] = {
    "shared texts": (lambda: strings_named(STRINGS, "sharedStrings.xml"), TOO_MUCH),
    "with a backslash": (lambda: strings_named("xl\\texts.xml", "texts.xml"), TOO_MUCH),
    "in upper case": (lambda: strings_named("XL/TEXTS.XML", "texts.xml"), TOO_MUCH),
    "outside of xl/": (lambda: strings_named("picture.png", "../picture.png"), TOO_MUCH),
    "at the root": (lambda: strings_named("a/b/c", "/a/b/c"), TOO_MUCH),
    "one row": (lambda: workbook({SHEET: sheet_of("<c/>", GIGABYTE, "<row>", "</row>")}), TOO_MUCH),
    "within the limit of a sheet": (
        lambda: workbook({SHEET: sheet_of("<c/>", 90 * MEBIBYTE, "<row>", "</row>")}),
        TOO_MUCH,
    ),
    "a text in its cell": (
        lambda: workbook({SHEET: sheet_of("1", GIGABYTE, '<row><c t="inlineStr"><is><t>')}),
        TOO_MUCH,
    ),
    "styles": (
        lambda: workbook(
            {STYLES: repeated(f'<styleSheet xmlns="{MAIN}"><cellXfs>', "<xf/>", 5 * MEBIBYTE)},
            pad=PAD,
        ),
        TOO_MUCH,
    ),
    "a size beyond ZIP": (lambda: lying(1 << 62), TOO_MUCH),
    "a size that is a lie": (lambda: lying(100), NONE),
    "one tag": (
        lambda: workbook({SHEET: sheet_of("1", PAD * 90, '<row r="')}, pad=PAD),
        LONG_TAG,
    ),
    "one comment": (
        lambda: workbook({SHEET: sheet_of("1", PAD * 90, "<!--")}, pad=PAD),
        LONG_TAG,
    ),
    "attributes": (
        lambda: workbook({SHEET: worksheet(f"<row {ATTRIBUTES}/>")}, pad=PAD),
        LONG_TAG,
    ),
    "cells without end": (
        lambda: workbook({SHEET: sheet_of("<c/>", PAD * 90, "<row>")}, pad=PAD),
        "too long to read|cells",
    ),
    "deep": (lambda: workbook({SHEET: sheet_of("<a>", PAD * 90)}, pad=PAD), OUT),
    "empty shared texts": (
        lambda: workbook({STRINGS: repeated(TEXTS, "<si/>", 46 * MEBIBYTE)}, pad=PAD),
        "too long to read",
    ),
    "many parts": (
        lambda: zip_of(dict.fromkeys(map(str, range(PARTS_LIMIT + 1)), part(""))),
        "many",
    ),
    "a full directory": (
        lambda: zip_of(dict.fromkeys(map(str, range(100_000)), part(""))),
        "many",
    ),
    "one part many times": (lambda: same_part(900), NONE),
    "relationships": (
        lambda: workbook({BOOK_LINKS: linked(*['<Relationship Target="a"/>'] * (PARTS_LIMIT + 1))}),
        "too many parts",
    ),
    "laughs in the sheet": (lambda: workbook({SHEET: worksheet("&m;", doctype=LAUGHS)}), NONE),
    "laughs in the texts": (lambda: workbook({STRINGS: LAUGHS + strings("&m;")}), NONE),
    "laughs in the book": (lambda: workbook({BOOK: LAUGHS + book("&m;")}), NONE),
    "laughs in the links": (lambda: workbook({BOOK_LINKS: LAUGHS + linked("&m;")}), NONE),
    "one entity": (lambda: workbook({STRINGS: ENTITY + strings("&m;")}), NONE),
    "a file of the server": (lambda: workbook({STRINGS: PASSWD + strings("&m;")}), NONE),
    "a path out of the workbook": (lambda: workbook(sheet="../../../../etc/passwd"), NONE),
    "row 999999999999": (lambda: row_at("999999999999"), f"more than {ROWS_LIMIT:,} rows"),
    "row 1e300": (lambda: row_at("1e300"), f"more than {ROWS_LIMIT:,} rows"),
    "row inf": (lambda: row_at("inf"), NONE),
    "row nan": (lambda: row_at("nan"), NONE),
    "row -1": (lambda: row_at("-1"), "comes after row 0"),
    "column ZZZZZZ": (
        lambda: workbook({SHEET: worksheet('<row><c r="ZZZZZZ1"><v>1</v></c></row>')}),
        NONE,
    ),
    "another compression": (lambda: workbook({SHEET: replace(part("x" * 99), method=14)}), NONE),
    "encrypted": (lambda: workbook({SHEET: replace(part("x" * 99), flags=1)}), NONE),
    "a text that is not there": (lambda: workbook({STRINGS: strings()}), NONE),
    "text before the first": (
        lambda: workbook({SHEET: worksheet('<row><c t="s"><v>-1</v></c></row>')}),
        NONE,
    ),
    "no sheet": (lambda: workbook({BOOK: book("")}), "has no sheet"),
}


# The kernel's limit is in whole seconds, so up to one more than the reader's own. The kernel checks
# it when its clock ticks, and then the process has to end.
ENDED_AFTER_SECONDS: Final = CPU_SECONDS + 1 + 0.5


def assert_cheap(found: Outcome) -> None:
    """Assert that the child stayed within the limits that it sets itself."""
    assert found.cpu_seconds <= ENDED_AFTER_SECONDS, found
    assert found.peak_bytes < MEMORY_BYTES, found
    assert found.parent_grew_bytes < 32 * MEBIBYTE, found


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_in_one_sentence_and_costs_little(tmp_path: Path, name: str) -> None:
    make, told = BOMBS[name]
    path = saved(tmp_path, make())
    found = read_in_child(path)
    assert_cheap(found)
    assert re.search(told, found.error), found
    assert found.rows == 0


HARMLESS: Final[dict[str, Callable[[], bytes]]] = {
    "merged and dimensions": lambda: workbook(
        {
            SHEET: worksheet(
                ONE_ROW,
                before='<dimension ref="A1:XFD1048576"/>',
                after='<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>' * 10_000,
            )
        }
    ),
    "a lie about the dimension": lambda: workbook(
        {SHEET: worksheet(ONE_ROW, before='<dimension ref="B9:A1"/>')}
    ),
    "65,536 sheets": lambda: workbook(
        {BOOK: book('<sheet name="S" sheetId="1" r:id="r0"/>' * 65_536)}, pad=PAD
    ),
    "names that nobody asks for": lambda: workbook(
        {"../../etc/passwd": repeated("", "0", GIGABYTE), "a/" * 500: repeated("", "0", GIGABYTE)}
    ),
    "20 MB in one cell": lambda: workbook(
        {
            SHEET: sheet_of(
                "1",
                20 * MEBIBYTE,
                '<row><c t="inlineStr"><is><t>',
                "</t></is></c></row>",
                is_read=True,
            )
        },
        pad=PAD,
    ),
    "50,000 styles": lambda: workbook(
        {
            STYLES: repeated(
                f'<styleSheet xmlns="{MAIN}"><cellXfs>',
                "<xf/>",
                3 * MEBIBYTE,
                "</cellXfs></styleSheet>",
                is_read=True,
            )
        },
        pad=PAD,
    ),
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_only_looks_large_is_read_and_costs_little(tmp_path: Path, name: str) -> None:
    found = read_in_child(saved(tmp_path, HARMLESS[name]()))
    assert (found.error, found.rows) == ("", 1)
    assert_cheap(found)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"1" * (4 * MEBIBYTE), "longer than"),
        (b'"a\n' + b"1" + b" " * 65_000 + b"x\n" + b'"\n', ""),
        ((b'"' + b"," * 65_000 + b"\n") * 300, ""),
        (b"," * 65_000 + b"\n", ""),
        (b"\x00" * 60_000, ""),
        (b"\xff" * MEBIBYTE, "neither UTF-8"),
    ],
    ids=["line", "spaces", "quotes", "columns", "nul", "bytes"],
)
def test_a_hostile_csv_costs_little(tmp_path: Path, content: bytes, told: str) -> None:
    found = read_in_child(saved(tmp_path, content, "file.csv"))
    assert told in found.error or "too long to read" in found.error
    assert bool(found.error) >= bool(told)
    assert found.cpu_seconds <= ENDED_AFTER_SECONDS + found.rows * 10e-6
    assert found.peak_bytes < MEMORY_BYTES
    assert found.parent_grew_bytes < 64 * MEBIBYTE
