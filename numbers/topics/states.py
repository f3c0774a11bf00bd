"""One letter for what a tile shows: the state, with what outranks it or stands beside it.

R ready · C in call · L in call, offline · O offline · Q quarantined · r resting · p capped ·
x old call (its deleted predecessor still talks) · s in call, suspect · l in call, offline,
suspect · - not in the pool's data. Quarantined outranks the others in display.
"""

import re
from typing import Any

import orjson

LETTERS = "RCLOQrpxsl-"
_OURS = re.compile(
    r'\{"callstate":([01]),"regstate":([01]),"at":(\d+)(?:,"held":"([a-z]*)")?(.*)\}$', re.DOTALL
)
_DAY = re.compile(r'"day":(\d+)')


def letter_of_code(code: str, ready_us: int, now_us: int) -> str:
    """Return the letter for a state as the history writes it: `iu`, `bdq`, `iur`, `-` …"""
    if not code or code[0] not in "ib":
        return "-"
    held = code[2:]
    if "q" in held:
        return "Q"
    up = code[1] == "u"
    if code[0] == "b":
        return ("s" if up else "l") if "s" in held else ("C" if up else "L")
    if not up:
        return "O"
    if "x" in held:
        return "x"
    if ready_us > now_us:
        return "p" if "c" in held else "r"
    return "R"


def letter_of_state(text: str | None, now_us: int) -> tuple[str, int]:
    """Return the letter for a number's JSON in Redis, and when it is ready (0: not resting)."""
    if text is None:
        return "-", 0
    found = _OURS.match(text)
    if found is None:
        return _letter_of_foreign(text), 0
    busy, up, since, held, rest = found.groups()
    code = ("b" if busy == "1" else "i") + ("u" if up == "1" else "d") + (held or "")
    if busy == "1" and '"suspect":1' in rest:
        code += "s"
    ready_us = int(since)
    day = _DAY.search(rest)
    if day is not None and int(day[1]) * 1_000_000 == ready_us:
        code += "c"
    letter = letter_of_code(code, ready_us, now_us)
    return letter, ready_us if letter in "rp" else 0


def _letter_of_foreign(text: str) -> str:
    """A state that another hand wrote, in the seed's plain form."""
    try:
        state: Any = orjson.loads(text)
        busy, up = int(state["callstate"]), int(state["regstate"])
    except (ValueError, TypeError, KeyError):
        return "-"
    return letter_of_code(("b" if busy else "i") + ("u" if up else "d"), 0, 0)
