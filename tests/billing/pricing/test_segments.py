"""SMS counting against 3GPP TS 23.038 and 23.040: the alphabets, the limits, pairs never split."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from billing.pricing.segments import segments

# 23.038, 6.2.1: the default alphabet in its own order, column by column; 0x1B is the escape.
TABLE = (
    "@£$¥èéùìòÇ\nØø\rÅå"
    "Δ_ΦΓΛΩΠΨΣΘΞ\x1bÆæßÉ"
    " !\"#¤%&'()*+,-./"
    "0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNO"
    "PQRSTUVWXYZÄÖÑÜ§"
    "¿abcdefghijklmno"
    "pqrstuvwxyzäöñüà"
)
EXTENSION = "\f^{}\\[~]|€"  # 6.2.1.1, two septets each
ALPHABET = TABLE.replace("\x1b", "")


def test_the_table_is_the_standard_s() -> None:
    assert len(TABLE) == 128
    assert (TABLE[0x00], TABLE[0x11], TABLE[0x24], TABLE[0x40]) == ("@", "_", "¤", "¡")
    assert (TABLE[0x5F], TABLE[0x60], TABLE[0x7F]) == ("§", "¿", "à")


@pytest.mark.parametrize("character", sorted(ALPHABET))
def test_each_character_of_the_default_alphabet_is_one_septet(character: str) -> None:
    assert segments(character * 160) == 1
    assert segments(character * 161) == 2


@pytest.mark.parametrize("character", sorted(EXTENSION))
def test_each_character_of_the_extension_table_is_two(character: str) -> None:
    assert segments(character * 80) == 1
    assert segments(character * 81) == 2


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", 1),
        ("a" * 306, 2),
        ("a" * 307, 3),
        ("短" * 70, 1),
        ("短" * 71, 2),
        ("短" * 134, 2),
        ("短" * 135, 3),
        ("a" * 70 + "ç", 2),  # the small ç is not in the alphabet: 71 units of UCS-2
        ("\x1b" * 71, 2),  # nor is the escape a character of its own
        ("😀" * 35, 1),
        ("😀" * 36, 2),
        ("😀" * 66, 2),  # 33 pairs in a part of 67 units
        ("😀" * 67, 3),
        ("a" * 152 + "€" + "a" * 152, 3),  # the pair does not fit, so 152 + 153 + 1
        ("a" * 151 + "€" + "a" * 153, 2),
    ],
)
def test_long_texts_are_cut_between_characters(text: str, parts: int) -> None:
    assert segments(text) == parts


@given(st.text(max_size=700))
def test_no_text_is_counted_below_its_units_or_above_parts_one_unit_short(text: str) -> None:
    gsm = set(text) <= set(ALPHABET + EXTENSION)
    twice = set(EXTENSION) if gsm else {c for c in text if ord(c) > 0xFFFF}
    units = sum(2 if character in twice else 1 for character in text)
    alone, part = (160, 153) if gsm else (70, 67)
    if units <= alone:
        assert segments(text) == 1
    else:
        assert -(-units // part) <= segments(text) <= -(-units // (part - 1))


@given(st.text(alphabet=ALPHABET + EXTENSION, max_size=500), st.text(max_size=5))
def test_a_longer_text_never_costs_less(text: str, more: str) -> None:
    assert segments(text) <= segments(text + more)
