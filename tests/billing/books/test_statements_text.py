"""The bulk statements' text: the quick and the careful form write the same."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from poolsite import sql_texts

TEXT = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=12)
VALUE = st.one_of(TEXT, st.integers(), st.none(), st.just(datetime(2026, 11, 22, tzinfo=UTC)))
UNESCAPED = {"\\\\": "\\", "\\t": "\t", "\\n": "\n", "\\r": "\r"}


def read_copy(line: str) -> list[str | None]:
    """Return what PostgreSQL reads in a line of COPY's text form."""
    assert line.endswith("\n")
    cells: list[str | None] = []
    for cell in line[:-1].split("\t"):
        assert "\n" not in cell
        assert "\r" not in cell
        text, place = "", 0
        while place < len(cell):
            pair = cell[place : place + 2]
            if pair[0] == "\\" and cell != "\\N":
                text, place = text + UNESCAPED[pair], place + 2
            else:
                text, place = text + cell[place], place + 1
        cells.append(None if cell == "\\N" else text)
    return cells


@given(st.lists(VALUE, min_size=2, max_size=6))
def test_a_row_comes_back_as_it_was(row: list[object]) -> None:
    said = [None if value is None else str(value) for value in row]
    assert read_copy(sql_texts.copy_line(row)) == said


@given(st.lists(st.one_of(TEXT, st.none()), min_size=1, max_size=6))
def test_an_array_of_texts_comes_back_as_it_was(values: list[str | None]) -> None:
    text = sql_texts.array_text(values)
    assert text[0] + text[-1] == "{}"
    found: list[str | None] = []
    place = 1
    while place < len(text) - 1:
        if text.startswith("NULL", place):
            found.append(None)
            place += 5
            continue
        assert text[place] == '"'
        item, place = "", place + 1
        while text[place] != '"':
            place += text[place] == "\\"
            item, place = item + text[place], place + 1
        found.append(item)
        place += 2
    assert found == values


@given(st.lists(st.integers(), min_size=1, max_size=6))
def test_an_array_of_numbers_is_plain(values: list[int]) -> None:
    assert sql_texts.array_text(values) == "{" + ",".join(map(str, values)) + "}"
