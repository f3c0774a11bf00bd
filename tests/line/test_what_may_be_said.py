"""The text of messages and names: joiners stay, characters that hide or reverse text go."""

import pytest

from queueing.line.errors import LineError
from queueing.line.services.common import TEXT_LENGTH, clean, clean_text

FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
PERSIAN = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
HINDI = "\u0915\u094d\u200d\u0937"
HEART = "\u2764\ufe0f"


@pytest.mark.parametrize("text", [FAMILY, PERSIAN, HINDI, HEART, f"{FAMILY} {PERSIAN} {HINDI}"])
def test_what_joins_letters_and_emoji_stays(text: str) -> None:
    assert clean_text(text) == text
    assert clean(text, 80) == text


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("wide\u3000space", "wide\u3000space"),
        ("one\r\ntwo\rthree\u2028four", "one\ntwo\nthree\nfour"),
        ("a\tb", "a b"),
        ("a\x00\x1b\x7fb", "ab"),
        ("pay \u202e001\u202c \u2066now\u2069", "pay 001 now"),
        ("half \ud83d of a pair", "half  of a pair"),
    ],
)
def test_controls_and_overrides_go(said: str, kept: str) -> None:
    assert clean_text(said) == kept


@pytest.mark.parametrize("text", ["", " \n ", "\u200d\u200c", "\u200b\ufeff", "\u3000", "\ufe0f"])
def test_a_text_of_which_nothing_can_be_seen_is_refused(text: str) -> None:
    with pytest.raises(LineError):
        clean_text(text)


def test_a_name_ends_in_no_joiner() -> None:
    assert clean("ab\u200dcd", 3) == "ab"
    assert clean("\u200d", 80) == ""


def test_the_limit_counts_characters() -> None:
    assert clean_text("\U0001f600" * TEXT_LENGTH)
    with pytest.raises(LineError):
        clean_text("\U0001f600" * (TEXT_LENGTH + 1))
