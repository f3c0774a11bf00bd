"""Cells that look like a number but mean something else are a separate group; no row is dropped."""

from pathlib import Path
from zipfile import ZipFile

import openpyxl
import pytest

from numbers.models import ImportRow
from numbers.models import import_reasons as reasons
from numbers.services import imports
from poolsite import hotpath
from poolsite.number_rejections import SUSPICIOUS, Rejection
from poolsite.table_files import read_cells
from poolsite.table_reader.csv_rows import QUOTED_LINES_LIMIT
from tests.access.world import make_world
from tests.numbers.import_world import csv_file, in_redis, in_sql, make_pool, totals, xlsx_file
from tests.numbers.test_imports_command import run

MIXED = [
    ["number"],
    ["13978000024.0"],
    ["13978000029–30"],
    ["+49 (0)30 1234567"],
    ["1.39E+10"],
    ["0000"],
    ["7"],
    ["139 7800 0001"],
    ["13978000002"],
]


@pytest.fixture
def pool(transactional_db, clean_redis):
    hotpath.reset()
    return make_pool()


def rows_of(found, kind: str) -> list[tuple[int, str, str]]:
    rows = found.staged.filter(kind=kind).order_by("row")
    return [(row.row, row.reason, row.remedy) for row in rows]


def test_a_suspicious_row_says_why_and_what_to_write_and_is_not_imported(pool, tmp_path) -> None:
    found = imports.preview_now(pool, csv_file(tmp_path, MIXED), "test")
    assert (totals(found), found.rows_suspicious, found.rows) == ((0, 2, 2), 4, 8)
    assert rows_of(found, "s") == [
        (2, "Decimal point added by a spreadsheet", "Use 13978000024"),
        (3, "A range, not a number", "Use one row per number, or “Add range”"),
        (4, "(0) is not dialed after a country code", "Use +49301234567"),
        (
            5,
            "Scientific notation: a spreadsheet dropped digits",
            "Format the column as text, then export it again",
        ),
    ]
    assert [row[:2] for row in rows_of(found, "r")] == [
        (6, "Only zeros"),
        (7, "Fewer than 3 digits"),
    ]
    found = imports.confirm_now(found, "test")
    assert (found.state, found.imported) == ("done", 2)
    assert in_sql(pool) == in_redis(pool) == {"+8613978000001", "+8613978000002"}


def test_every_reason_of_the_reader_has_words_and_what_it_suggests_fits_the_column() -> None:
    longest = ImportRow._meta.get_field("why").max_length or 0
    for rejection in Rejection:
        code = rejection.name.lower()
        assert reasons.reason_of(f"{code}:1") != f"{code}:1", code
        assert reasons.remedy_of(f"{code}:138") or rejection not in SUSPICIOUS, code
        assert len(f"{code}:+{'1' * 32}") <= longest


def test_the_page_shows_the_suspicious_group_before_the_others(
    transactional_db, clean_redis, tmp_path
) -> None:
    hotpath.reset()
    world = make_world()
    pool = make_pool(account=world.own)
    found = imports.preview_now(pool, csv_file(tmp_path, MIXED), world.users["operate"])
    client = world.client("operate")
    page = client.get(f"/numbers/?panel={found.pk}").content.decode()
    assert "Use 13978000024<" in page
    assert page.index("Suspicious 4") < page.index("Refused 2") < page.index("Cleaned up 2")
    refused = client.get(f"/numbers/?panel={found.pk}&tab=refused").content.decode()
    assert "Only zeros" in refused
    assert "Use 13978000024<" not in refused
    whole = b"".join(client.get(f"/imports/{found.pk}/refused/").streaming_content).decode()
    assert whole.count("\r\n") == 1 + 6
    one = client.get(f"/imports/{found.pk}/refused/", {"kind": "s"}).streaming_content
    assert b"".join(one).decode().count("\r\n") == 1 + 4


def test_the_command_names_the_suspicious_rows_first(pool, tmp_path) -> None:
    said = run(pool.slug, str(csv_file(tmp_path, MIXED)))
    assert "4  suspicious" in said
    assert "row 4: '+49 (0)30 1234567': (0) is not dialed after a country code. Use +4930" in said
    assert said.index("row 5:") < said.index("row 6: '0000': Only zeros")


def quoted(folder: Path, text: str) -> Path:
    path = folder / "quoted.csv"
    path.write_text(text, encoding="utf-8", newline="")
    return path


OPEN_QUOTE = (
    "number,label\n"
    '13800000001,"desk one\n'
    "13800000002,b\n"
    '13800000003,"c"\n'
    "13800000004,d\n"
    '13800000005,"two\nlines, and ""quotes"""\n'
    "13800000006,e\n"
)


def test_each_row_that_an_open_quote_runs_over_is_named_and_those_after_it_are_taken(
    pool, tmp_path
) -> None:
    found = imports.preview_now(pool, quoted(tmp_path, OPEN_QUOTE), "test")
    assert [(row, why) for row, why, _remedy in rows_of(found, "r")] == [
        (2, "Unclosed quote in this row"),
        (3, "Inside the unclosed quote that starts in row 2"),
        (4, "Inside the unclosed quote that starts in row 2"),
    ]
    refused = found.staged.filter(kind="r").order_by("row")
    assert [row.raw for row in refused] == [
        '13800000001,"desk one',
        "13800000002,b",
        '13800000003,"c"',
    ]
    assert refused[0].parts == ("13800000001,", '"', "desk one")
    imports.confirm_now(found, "test")
    assert in_sql(pool) == {"+8613800000004", "+8613800000005", "+8613800000006"}


def test_a_quote_that_nobody_closes_costs_the_rows_after_it_and_each_is_named(
    pool, tmp_path
) -> None:
    rest = "".join(f"1390000{n:04}\n" for n in range(3 * QUOTED_LINES_LIMIT))
    found = imports.preview_now(pool, quoted(tmp_path, f'13800000001\n"13800000002\n{rest}'), "t")
    count = 3 * QUOTED_LINES_LIMIT
    assert totals(found) == (0, 1, 1 + count)
    whys = found.staged.filter(kind="r").order_by("row").values_list("row", "why")
    assert list(whys) == [(2, "quote_opens"), *((3 + n, "quoted:2") for n in range(count))]


def test_nobody_else_takes_a_swallowed_line_for_a_number(tmp_path) -> None:
    path = quoted(tmp_path, '"13800000001\n13800000002\n')
    assert [list(row) for row in read_cells(path, path.name)] == [
        ['"13800000001'],
        ['"13800000002'],
    ]


def test_a_formula_is_called_one_whether_or_not_the_workbook_has_its_result(pool, tmp_path) -> None:
    rows = [["number", "label"], ["=A3+1", "a"], ["13800000001", '="Desk "&1'], ["=1+1", None]]
    path = xlsx_file(tmp_path, rows)
    found = imports.preview_now(pool, path, "test")
    assert rows_of(found, "s") == [
        (2, "A formula, not a value", "Paste the column as values"),
        (4, "A formula, not a value", "Paste the column as values"),
    ]
    assert found.staged.get(row=2).raw == "=A3+1"
    taken = found.staged.get(kind="c")
    assert (taken.value, taken.label) == ("+8613800000001", "")  # no program computed the label


def test_what_a_formula_beside_the_number_showed_is_its_text(pool, tmp_path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["13800000001", "=1+1"])
    plain = tmp_path / "plain.xlsx"
    book.save(plain)
    sheet = "xl/worksheets/sheet1.xml"
    with ZipFile(plain) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    assert b"<v />" in parts[sheet] or b"<v/>" in parts[sheet] or b"<v></v>" in parts[sheet]
    for empty in (b"<v />", b"<v/>", b"<v></v>"):
        parts[sheet] = parts[sheet].replace(empty, b"<v>2</v>")
    shown = tmp_path / "shown.xlsx"
    with ZipFile(shown, "w") as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    found = imports.preview_now(pool, shown, "test")
    assert found.staged.get().label == "2"
