"""The sub-modes in which a message can be delivered, each with a price and a counting rule."""

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
# The modes that a gateway's report may name. A call is no message.
REPORTED: Final = MODES[:-1]

NATIVE: Final[Mapping[str, str]] = {"text": NATIVE_TEXT, "card": NATIVE_CARD}
FALLBACKS: Final[Mapping[str, tuple[str, ...]]] = {
    "": (),
    "yuexin": (YUEXIN_RESOLVED, YUEXIN_UNRESOLVED),
    "video": (VIDEO,),
}


def ends_of(native: str, fallback: str) -> tuple[str, ...]:
    """Return the sub-modes in which a message can be delivered: its native one, its fallback's.

    `native`: text | card. `fallback`: yuexin | video | "" (none). Raise KeyError for other values.
    """
    return (NATIVE[native], *FALLBACKS[fallback])
