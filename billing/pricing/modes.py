"""The sub-modes of a message: what it can end in, each with a price and a counting rule."""

from collections.abc import Mapping
from typing import Final

NATIVE_TEXT: Final = "native_text"
NATIVE_CARD: Final = "native_card"
NATIVE_SESSION: Final = "native_session"
YUEXIN_RESOLVED: Final = "yuexin_resolved"
YUEXIN_UNRESOLVED: Final = "yuexin_unresolved"
VIDEO: Final = "video"
CALL: Final = "call"

MODES: Final = (
    NATIVE_TEXT,
    NATIVE_CARD,
    NATIVE_SESSION,
    YUEXIN_RESOLVED,
    YUEXIN_UNRESOLVED,
    VIDEO,
    CALL,
)
# What a gateway may name in a report; a call is no message.
REPORTED: Final = MODES[:-1]

NATIVE: Final[Mapping[str, str]] = {"text": NATIVE_TEXT, "card": NATIVE_CARD}
FALLBACKS: Final[Mapping[str, tuple[str, ...]]] = {
    "": (),
    "yuexin": (YUEXIN_RESOLVED, YUEXIN_UNRESOLVED),
    "video": (VIDEO,),
}


def ends_of(native: str, fallback: str) -> tuple[str, ...]:
    """Every sub-mode that a message can end in: its native kind, then its fallback's.

    native: text | card. fallback: yuexin | video | "" (none). KeyError for other words.
    """
    return (NATIVE[native], *FALLBACKS[fallback])
