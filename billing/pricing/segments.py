"""How many SMS a text needs: 3GPP TS 23.038 (alphabets) and TS 23.040 (concatenation).

A text whose characters are all in the GSM 7-bit default alphabet (23.038, 6.2.1) or its extension
table (6.2.1.1, two septets each) is sent in septets: 160 in a single SMS, 153 in each of several,
because the header that numbers the parts takes 6 of 140 octets. Any other text is sent as UCS-2, in
practice UTF-16: 70 code units in a single SMS, 67 in each of several. Neither an escape pair nor a
surrogate pair is split, so a part may stay one unit short.

National language tables (23.038, 6.2.1.2) are not used: senders must not rely on them. No library
is used: the newest wheels on the package index are for Python 2.7 to 3.8 and need compatibility
packages (smsutil 1.1.3, sms-toolkit 1.0.9).
"""

from typing import Final

SEPTETS_ALONE: Final = 160
SEPTETS_IN_PART: Final = 153
UNITS_ALONE: Final = 70
UNITS_IN_PART: Final = 67

# 0x1B, the escape to the extension table, is no character itself.
_BASIC: Final = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡"
    "ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
_EXTENDED: Final = frozenset("\f^{}\\[~]|€")
_GSM: Final = _BASIC | _EXTENDED


def segments(text: str) -> int:
    """Return how many SMS carry the text. An empty text needs 1."""
    characters = set(text)
    if characters <= _GSM:
        twice = characters & _EXTENDED
        return _parts(text, twice, SEPTETS_ALONE, SEPTETS_IN_PART)
    twice = {character for character in characters if ord(character) > 0xFFFF}
    return _parts(text, twice, UNITS_ALONE, UNITS_IN_PART)


def _parts(text: str, twice: set[str] | frozenset[str], alone: int, in_part: int) -> int:
    """Return the number of parts of a text whose `twice` characters take two units, never split."""
    units = len(text) + (sum(map(text.count, twice)) if twice else 0)
    if units <= alone:
        return 1
    if not twice:
        return -(-units // in_part)
    parts, used = 1, 0
    for character in text:
        size = 2 if character in twice else 1
        if used + size > in_part:
            parts, used = parts + 1, 0
        used += size
    return parts
