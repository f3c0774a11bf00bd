"""Names and reasons are reduced to one line. Characters that join letters stay."""

import pytest

from billing.services.acting import clean_line
from poolsite.access.services.actor import clean_reason
from poolsite.plain_text import one_line

FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467"


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("  two\r\n lines\t", "two lines"),
        ("null\x00 and \x1b[31m", "null and [31m"),
        ("turned \u202egnihtyna", "turned gnihtyna"),
        (f"family {FAMILY}", f"family {FAMILY}"),
        ("می‌خواهم", "می‌خواهم"),
        ("\u200d\u200c", ""),
    ],
)
def test_one_line_keeps_letters_and_their_joiners_only(typed: str, kept: str) -> None:
    assert one_line(typed) == clean_reason(typed) == clean_line(typed) == kept


def test_a_reason_is_cut_to_whole_characters_of_200_bytes() -> None:
    assert clean_reason("号" * 100) == "号" * 66
