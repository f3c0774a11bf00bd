"""Texts that look like a number but mean something else are refused by name, never "cleaned"."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolsite.number_format import Normalised, NotANumberError, beginning, normalise, parse
from poolsite.number_rejections import SUSPICIOUS, Rejected, Rejection

# Text, why it is refused, the part that a page marks, what to write instead ("" = unknown).
REFUSED = [
    # A decimal point: what a spreadsheet makes of a column of numbers.
    ("13978000024.0", "DECIMAL", ".0", "13978000024"),
    ("13978000024.00", "DECIMAL", ".00", "13978000024"),
    ("+8613978000024.0", "DECIMAL", ".0", "+8613978000024"),
    ("139 7800 0024.0", "DECIMAL", ".0", "13978000024"),
    ("13 978 000 024.00", "DECIMAL", ".00", "13978000024"),
    ("13.978.000.024.0", "DECIMAL", ".0", "13978000024"),
    ("１３９７８００００２４．０", "DECIMAL", "．０", "13978000024"),
    ("13978000024.5", "DECIMAL", ".5", ""),
    ("13978000024.123456", "DECIMAL", ".123456", ""),
    ("1397800.25", "DECIMAL", ".25", ""),
    ("1397800.123", "DECIMAL", ".123", ""),
    ("138.000", "DECIMAL", ".000", "138"),
    ("1.3978000024", "DECIMAL", ".3978000024", ""),
    (".13978000024", "DECIMAL", ".13978000024", ""),
    ("13978000024,0", "DECIMAL", ",0", "13978000024"),
    ("1.39E+10", "EXPONENT", ".39E+10", ""),
    ("1,39E+10", "EXPONENT", ",39E+10", ""),
    ("1E+10", "EXPONENT", "E+10", ""),
    ("13.9e9", "EXPONENT", ".9e9", ""),
    ("13,978,000,024", "THOUSANDS", ",978,000,024", "13978000024"),
    ("2024-05-12", "DATE", "2024-05-12", ""),
    ("2024-05-12 00:00:00", "DATE", "2024-05-12 00:00:00", ""),
    ("12.05.2024", "DATE", "12.05.2024", ""),
    ("'13978000024", "APOSTROPHE", "'", "13978000024"),
    ("\u2019+8613978000024", "APOSTROPHE", "\u2019", "+8613978000024"),
    ("=138", "FORMULA", "=138", ""),
    ('="13978000024"', "FORMULA", '="13978000024"', ""),
    ("#REF!", "SHEET_ERROR", "#REF!", ""),
    ("#N/A", "SHEET_ERROR", "#N/A", ""),
    ("########", "SHEET_ERROR", "########", ""),
    # A range: the digits after the dash replace the last ones before it.
    ("13978000029–30", "RANGE", "–30", ""),
    ("13978000029-30", "RANGE", "-30", ""),
    ("13978000029 – 30", "RANGE", " – 30", ""),
    ("13978000029—9", "RANGE", "—9", ""),
    ("139-7800-0029–30", "RANGE", "–30", ""),
    ("139-7800-0029-30", "RANGE", "-30", ""),
    ("139 7800 0029-30", "RANGE", "-30", ""),
    ("13978000029--30", "RANGE", "--30", ""),
    ("13978000029-1397", "RANGE", "-1397", ""),
    ("13978000029-13978000030", "RANGE", "-13978000030", ""),
    ("+8613978000029 – +8613978000030", "RANGE", " – +8613978000030", ""),
    ("62345670-62345699", "RANGE", "-62345699", ""),
    ("13978000000…999", "RANGE", "…999", ""),
    ("13978000000..99", "RANGE", "..99", ""),
    ("13978000000~99", "RANGE", "~99", ""),
    ("13978000000至13978000099", "RANGE", "至13978000099", ""),
    ("10086-7", "RANGE", "-7", ""),
    ("02162345678-801", "RANGE", "-801", ""),
    ("02162345678-201", "EXTENSION", "-201", ""),
    ("13978000029 13978000030", "SEVERAL", " 13978000030", ""),
    ("13978000029/13978000030", "SEVERAL", "/13978000030", ""),
    ("13978000029\n13978000030", "SEVERAL", "\n13978000030", ""),
    # (0) is dialled inside the country only.
    ("+49 (0)30 1234567", "TRUNK", "(0)", "+49301234567"),
    ("0049(0)30-1234567", "TRUNK", "(0)", "+49301234567"),
    ("+44 [0] 20 7946 0958", "TRUNK", "[0]", "+442079460958"),
    ("49 (0) 30 1234567", "TRUNK", "(0)", "49301234567"),
    # Not a number at all.
    ("0", "ZEROS", "0", ""),
    ("0000", "ZEROS", "0000", ""),
    ("+000", "ZEROS", "+000", ""),
    ("0-0-0", "ZEROS", "0-0-0", ""),
    ("7", "TOO_SHORT", "7", ""),
    ("12", "TOO_SHORT", "12", ""),
    ("+49", "TOO_SHORT", "+49", ""),
    ("0012", "TOO_SHORT", "0012", ""),
    ("1 2", "TOO_SHORT", "1 2", ""),
    ("+86-CALL-ME", "NOT_A_NUMBER", "CALL-ME", ""),
    ("138e5", "NOT_A_NUMBER", "e", ""),
]

# Separators that don't change the meaning of the number.
TAKEN = [
    ("138.1234.5678", "13812345678"),
    ("138-1234-5678", "13812345678"),
    ("138\u20131234\u20135678", "13812345678"),
    ("(021) 6234.5678", "02162345678"),
    ("(021) 6234-5678", "02162345678"),
    ("555.0123", "5550123"),
    ("555-0123", "5550123"),
    ("123.456", "123456"),
    ("030.12 34 56", "030123456"),
    ("01.40.20.50.00", "0140205000"),
    ("13978000024.", "13978000024"),
    ("+1.4155550123", "+14155550123"),
    ("+86.13978000024", "+8613978000024"),
    ("1.415.555.0123", "14155550123"),
    ("13.978.000.024", "13978000024"),
    ("139·7800·0024", "13978000024"),
    ("1381234.5678", "13812345678"),
    ("1381234-5678", "13812345678"),
    ("+55 11 91234-5678", "+5511912345678"),
    ("98765-43210", "9876543210"),
    ("8-495-123-45-67", "84951234567"),
    ("01-40-20-50-60", "0140205060"),
    ("400-820-8820", "4008208820"),
    ("021-1234-567", "0211234567"),
    ("+49 30 1234567-0", "+493012345670"),  # a German head office: the 0 is dialled
    ("-13978000024", "13978000024"),
    ("(0)30 1234567", "0301234567"),
    ("(030) 1234567", "0301234567"),
    ("123456", "123456"),
    ("110", "110"),
    ("000123", "+0123"),
    ("100", "100"),
]


@pytest.mark.parametrize(("text", "reason", "bad", "instead"), REFUSED)
def test_what_would_change_the_meaning_is_refused_by_name(
    text: str, reason: str, bad: str, instead: str
) -> None:
    result = normalise(text)
    assert isinstance(result, Rejected), result
    assert (result.reason.name, text[result.start : result.end]) == (reason, bad)
    assert result.instead == instead


@pytest.mark.parametrize(("text", "value"), TAKEN)
def test_a_separator_that_changes_nothing_is_dropped(text: str, value: str) -> None:
    result = normalise(text)
    assert isinstance(result, Normalised), result
    assert result.value == value


def test_every_reason_is_proved_above_or_is_the_format_s_own() -> None:
    proved = {Rejection[reason] for _text, reason, _bad, _instead in REFUSED}
    assert set(Rejection) - proved == {Rejection.EMPTY, Rejection.TOO_LONG}
    assert proved > SUSPICIOUS


def test_the_error_says_what_to_write_instead() -> None:
    with pytest.raises(NotANumberError, match=r"a decimal number.*; write 13978000024$"):
        parse("13978000024.0")
    with pytest.raises(NotANumberError, match=r"^a range, not a number$"):
        parse("13978000029–30")


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("1", "1"),
        ("13", "13"),
        ("138-99", "13899"),
        ("+49 (0", "+490"),
        ("0086 1", "+861"),
        ("0", "0"),
        ("00", ""),
        ("+", ""),
        ("", ""),
        ("desk 1", ""),
        ("1" * 300, ""),
    ],
)
def test_a_search_takes_the_first_digits_and_judges_no_separator(typed: str, found: str) -> None:
    assert beginning(typed) == found


@given(st.text("0123456789+-–.() ,'E…~", max_size=40))
def test_what_is_advised_is_a_number_and_no_digit_is_ever_added(text: str) -> None:
    result = normalise(text)
    if isinstance(result, Rejected):
        assert not result.instead or normalise(result.instead) == Normalised(result.instead)
        assert 0 <= result.start <= result.end <= len(text)
    else:
        digits = [char for char in text if char.isdigit()]
        kept = list(result.value.removeprefix("+"))
        assert kept in (digits, digits[2:])


@pytest.mark.parametrize("unit", ["1.", "1-", "(0)", "1…", "1,000", " ", "1 ", "9" * 9 + " "])
def test_the_longest_texts_are_judged_at_once(unit: str) -> None:
    assert isinstance(normalise((unit * 256)[:256]), Rejected)
