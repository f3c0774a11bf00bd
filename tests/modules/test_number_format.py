"""What is accepted as a number, what is cleaned, and what is refused for which reason."""

import csv
import unicodedata
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolsite.number_format import Correction, Normalised, NotANumberError, normalise, parse
from poolsite.number_rejections import Rejected, Rejection

SAMPLE = Path(__file__).parents[1] / "data" / "numbers-sample.csv"


@pytest.mark.parametrize(
    ("text", "value", "changes"),
    [
        ("123456", "123456", ()),
        ("+8613800000000", "+8613800000000", ()),
        ("008617798383096", "+8617798383096", (Correction.PREFIX,)),
        ("+86 1674-9324839", "+8616749324839", (Correction.SPACE, Correction.DASH)),
        ("８６１４５６７８４６４６６", "8614567846466", (Correction.FULL_WIDTH,)),
        ("＋86138", "+86138", (Correction.FULL_WIDTH,)),
        ("(021) 6234.5678", "02162345678", (Correction.BRACKET, Correction.SPACE, Correction.DOT)),
        ("\u200b138\u00ad000\ufeff", "138000", (Correction.INVISIBLE,)),
        ("138\t000\u3000111", "138000111", (Correction.SPACE,)),
        ("138\u2013000\u2212111", "138000111", (Correction.DASH,)),
        ("0" + "1" * 31, "0" + "1" * 31, ()),
        ("00" + "1" * 32, "+" + "1" * 32, (Correction.PREFIX,)),
    ],
)
def test_a_pasted_number_is_cleaned_and_told_how(
    text: str, value: str, changes: tuple[Correction, ...]
) -> None:
    assert normalise(text) == Normalised(value, changes)


@pytest.mark.parametrize(
    ("text", "reason", "bad"),
    [
        ("", Rejection.EMPTY, ""),
        (" \t ", Rejection.EMPTY, " \t "),
        ("--", Rejection.EMPTY, "--"),
        ("1380000abcd", Rejection.NOT_A_NUMBER, "abcd"),
        ("138O0000", Rejection.NOT_A_NUMBER, "O"),
        ("1+38", Rejection.NOT_A_NUMBER, "+"),
        ("++138", Rejection.NOT_A_NUMBER, "+"),
        ("+", Rejection.NOT_A_NUMBER, "+"),
        ("00", Rejection.ZEROS, "00"),
        ("12", Rejection.TOO_SHORT, "12"),
        ("١٣٨", Rejection.NOT_A_NUMBER, "١٣٨"),
        ("१३८", Rejection.NOT_A_NUMBER, "१३८"),
        ("138\x00", Rejection.NOT_A_NUMBER, "\x00"),
        ("138\n139", Rejection.NOT_A_NUMBER, "\n"),
        ("138e5", Rejection.NOT_A_NUMBER, "e"),
        ("1" * 33, Rejection.TOO_LONG, "1"),
        ("00" + "1" * 33, Rejection.TOO_LONG, "1"),
        ("1 " * 34, Rejection.TOO_LONG, "1 1 "),
    ],
)
def test_a_text_that_is_no_number_is_refused_with_its_bad_part(
    text: str, reason: Rejection, bad: str
) -> None:
    result = normalise(text)
    assert isinstance(result, Rejected)
    assert result.reason is reason
    assert text[result.start : result.end] == bad


def test_ten_megabytes_are_refused_without_being_looked_into() -> None:
    assert normalise("１" * 10_000_000) == Rejected(Rejection.TOO_LONG, 256, 10_000_000)


def test_with_and_without_plus_are_different_numbers() -> None:
    assert parse("8613800000000") != parse("+8613800000000")


def test_parse_says_the_reason() -> None:
    with pytest.raises(NotANumberError, match="over 32 digits"):
        parse("1" * 40)


@given(st.text(max_size=80))
def test_whatever_comes_the_result_is_a_number_or_a_reason(text: str) -> None:
    result = normalise(text)
    if isinstance(result, Normalised):
        digits = result.value.removeprefix("+")
        assert digits.isascii()
        assert digits.isdigit()
        assert 3 <= len(digits) <= 32
        assert normalise(result.value) == Normalised(result.value)
    else:
        assert 0 <= result.start <= result.end <= len(text)


@given(st.from_regex(r"\+?[1-9][0-9]{2,31}", fullmatch=True))
def test_a_clean_number_stays_as_it_is_in_any_width(value: str) -> None:
    wide = "".join(chr(ord(char) + 0xFEE0) for char in value)
    assert unicodedata.normalize("NFKC", wide) == value
    assert parse(value) == parse(wide) == value


def test_the_sample_holds_5000_numbers_and_65_rows_with_reasons() -> None:
    with SAMPLE.open(encoding="utf-8", newline="") as file:
        results = [normalise(row["number"] or "") for row in csv.DictReader(file)]
    good = [result.value for result in results if isinstance(result, Normalised)]
    bad = Counter(result.reason for result in results if isinstance(result, Rejected))
    assert len(set(good)) == 5_000
    assert len(good) - len(set(good)) == 25
    assert bad == {
        Rejection.NOT_A_NUMBER: 20,
        Rejection.TOO_LONG: 10,
        Rejection.EMPTY: 10,
    }
