"""States of numbers: the five of the table of states, the flags beside them, the tiles' letters."""

import json
from dataclasses import dataclass
from typing import Any, Final

NODATA: Final = "nodata"

# Letters of live tiles, also in static/css/tiles.css and static/live/tiles.js.
LETTERS: Final = {
    "R": "Ready",
    "r": "Resting",
    "p": "Capped",
    "o": "Offered to a waiting call",
    "x": "Old call",
    "u": "Unconfirmed",
    "C": "In call",
    "s": "In call, suspect",
    "L": "In call, offline",
    "l": "In call, offline, suspect",
    "O": "Offline",
    "Q": "Quarantined",
    "-": "Gone",
    "?": "Unreadable",
}

_HOLDS: Final = (
    *(("q", "quarantined"), ("x", "old call")),
    *(("o", "offered"), ("u", "unconfirmed")),
)


@dataclass(frozen=True, slots=True)
class Call:
    """A call in progress, as stored in the number's state."""

    call_id: str
    switch: str
    incarnation: str
    agent: str
    callee: str
    direction: str
    session: int
    suspect: bool = False
    unpaid: bool = False
    ghost: bool = False


@dataclass(frozen=True, slots=True)
class NumberState:
    """One number as Redis has it. Times are µs since 1970.

    `since_us`: the start of its call, or otherwise the time from which it can be picked.
    """

    number: str
    busy: bool
    up: bool
    since_us: int
    held: str = ""
    quarantine_reason: str = ""
    region: str = ""
    day: int = 0
    used_today: int = 0
    last_agent: str = ""
    last_until_us: int = 0
    call: Call | None = None
    lease_until_ms: int | None = None
    readable: bool = True

    @property
    def name(self) -> str:
        """The state's name in the table of states."""
        return f"{'busy' if self.busy else 'idle'}+{'up' if self.up else 'down'}"

    @property
    def quarantined(self) -> bool:
        return "q" in self.held

    @property
    def unconfirmed(self) -> bool:
        return "u" in self.held

    def why_not(self, now_us: int) -> str:
        """Return why the number can't be picked now, or "" if it can."""
        if not self.readable:
            return "unreadable state"
        if self.busy:
            return "suspect" if self.call and self.call.suspect else "busy"
        for letter, reason in _HOLDS:
            if letter in self.held:
                return reason
        if not self.up:
            return "offline"
        if self.since_us > now_us:
            return "capped" if self.since_us == self.day * 1_000_000 else "resting"
        return ""

    def letter(self, now_us: int) -> str:
        """Return the tile's letter. Quarantine takes precedence over the other states."""
        if not self.readable:
            return "?"
        if self.quarantined:
            return "Q"
        if self.busy:
            letter = "C" if self.up else "L"
            suspect = self.call is not None and self.call.suspect
            return {"C": "s", "L": "l"}[letter] if suspect else letter
        if "u" in self.held:
            return "u"
        if not self.up:
            return "O"
        if "x" in self.held:
            return "x"
        if "o" in self.held:
            return "o"
        why = self.why_not(now_us)
        return {"capped": "p", "resting": "r"}.get(why, "R")


def parse_state(
    number: str, text: str, lease_until_ms: int | None = None, region: str = ""
) -> NumberState | None:
    """Parse a state's JSON in any layout. Return None for "" (the number does not exist)."""
    if not text:
        return None
    try:
        data: Any = json.loads(text)
        busy, up = int(data["callstate"]), int(data["regstate"])
    except (ValueError, TypeError, KeyError):
        return NumberState(number, busy=False, up=False, since_us=0, readable=False)
    held = str(data.get("held", ""))
    return NumberState(
        number=number,
        busy=bool(busy),
        up=bool(up),
        since_us=int(data.get("at", 0)),
        held=held,
        quarantine_reason=str(data.get("why", "")) if "q" in held else "",
        region=region,
        day=int(data.get("day", 0)),
        used_today=int(data.get("used", 0)),
        last_agent=str(data.get("last", "")),
        last_until_us=int(data.get("until", 0)),
        call=_call(data) if busy else None,
        lease_until_ms=lease_until_ms,
    )


def _call(data: dict[str, Any]) -> Call:
    parts = data.get("call")
    words: list[Any] = parts if isinstance(parts, list) else []

    def word(place: int, missing: str = "") -> str:
        return str(words[place]) if place < len(words) else missing

    return Call(
        session=words[0] if words and isinstance(words[0], int) else 1000,
        agent=word(1),
        call_id=word(2),
        callee=word(3),
        switch=word(4),
        incarnation=word(5),
        direction=word(6, "out"),
        suspect=data.get("suspect") == 1,
        unpaid=data.get("unpaid") == 1,
        ghost="ghost" in data,
    )


def state_letter(code: str) -> str:
    """Return the tile's letter for a state's code in the history, e.g. "iu" → R, "bdq" → Q.

    Codes: i or b (idle, busy), u or d (up, down), then flags: q quarantined, u unconfirmed, x old
    call, o offered, s suspect, r resting, c capped; "-" = the number does not exist.
    """
    if not code or code[0] == "-":
        return "-"
    flags = code[2:]
    if "q" in flags:
        return "Q"
    if code[0] == "b":
        letters = "sl" if "s" in flags else "CL"
        return letters[code[1] != "u"]
    if "u" in flags:
        return "u"
    if code[1:2] != "u":
        return "O" if code[1:2] == "d" else "?"
    for flag, letter in (("x", "x"), ("o", "o"), ("c", "p"), ("r", "r")):
        if flag in flags:
            return letter
    return "R"


def state_name(code: str) -> str:
    """Return the table's name for a state's code in the history, e.g. "bu" → busy+up."""
    if not code or code[0] not in "ib":
        return NODATA if code[:1] == "-" else ""
    return f"{'busy' if code[0] == 'b' else 'idle'}+{'up' if code[1] == 'u' else 'down'}"
