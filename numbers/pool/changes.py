"""Entries of a pool's history: the text that the scripts write, parsed into values."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from numbers.pool.number_state import state_letter, state_name

ENDINGS: Final = ("hangup", "released", "forced")  # of calls
DELETED_IN_SQL: Final = "deleted in SQL"  # the reason of a deletion that the console sends


class NumberMove(NamedTuple):
    """The part of an entry about its number, without the texts of the call; names as in PoolChange.

    It is a tuple because live pages read thousands a second.
    """

    event: str
    number: str
    before: str
    after: str
    reason: str
    picked: str
    since_us: int
    ready_us: int
    tail: str  # how the other texts are stored

    @property
    def ends_call(self) -> bool:
        """Whether a call of the number ended, including calls of a deleted number."""
        return self.event in ENDINGS

    @property
    def was_in_call(self) -> bool:
        return self.before.startswith("b")

    @property
    def comes_or_goes(self) -> bool:
        """Whether the number was added or removed."""
        return self.before.startswith("-") != self.after.startswith("-")


def read_move(text: str) -> NumberMove:
    """Parse an entry's field `e`. Raise ValueError if no script of the platform wrote it."""
    words = text.split("\t")
    if len(words) != 9:
        raise ValueError(f"not an entry of a pool: {text!r}")
    event, number, before, after, reason, picked, since, ready, tail = words
    return NumberMove(
        event, number, before, after, reason, picked, int(since or 0), int(ready or 0), tail
    )


def number_in(text: str) -> str:
    """Return only the number of a field `e`: the quickest read."""
    return text.split("\t", 2)[1]


def may_come_or_go(text: str) -> bool:
    """Return False, quickly, for a field `e` whose `comes_or_goes` is certainly false."""
    return "\t-" in text


def may_name(text: str, number: str) -> bool:
    """Return False, quickly, for a field `e` about another number."""
    return f"\t{number}\t" in text


@dataclass(frozen=True, slots=True)
class PoolChange:
    """One entry. `before` and `after` are codes for state_letter and state_name.

    `event`: add del reg unreg call hangup renew; released (a call, by time, restart or list) forced
    suspect blocked; quarantined unquarantined confirmed; rested (its rest was shortened); switch
    restart; created recovering opened paused resumed configured. `picked`: longest sticky near
    asked offered. `since_us`: when the previous state began, or when the number became free to be
    picked. `ready_us`: when the number can be picked again. `is_event`: whether someone reported it
    as an event; numbers that the console adds are loaded instead.
    """

    at_us: int
    event: str
    number: str = ""
    before: str = ""
    after: str = ""
    reason: str = ""
    picked: str = ""
    since_us: int = 0
    ready_us: int = 0
    call_id: str = ""
    switch: str = ""
    incarnation: str = ""
    agent: str = ""
    callee: str = ""
    direction: str = ""
    contact: str = ""
    answered: str = ""  # reported by a hangup: "1", "0", or ""
    talk_seconds: str = ""
    cause: str = ""
    is_event: bool = False
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def state_before(self) -> str:
        return state_name(self.before)

    @property
    def state_after(self) -> str:
        return state_name(self.after)

    @property
    def letter_after(self) -> str:
        return state_letter(self.after)

    @property
    def follows_sql(self) -> bool:
        """Whether the console added or deleted the number: SQL may have changed again since."""
        if self.event == "add":
            return not self.is_event
        return self.event == "del" and self.reason == DELETED_IN_SQL

    @property
    def begins_call(self) -> bool:
        return self.event == "call"

    @property
    def ends_call(self) -> bool:
        """Like `NumberMove.ends_call`."""
        return self.event in ENDINGS


_TEXTS_BESIDE: Final = "w"  # the entry's texts are in its field `c`, joined by tabs
_TEXTS: Final = (
    *("call_id", "switch", "incarnation", "agent", "callee", "direction"),
    *("contact", "answered", "talk_seconds", "cause"),
)
_JSON_NAMES: Final = {"call_id": "call"}


def read_change(fields: Mapping[str, str], at_us: int | None = None) -> PoolChange:
    """Parse an entry of the stream. Raise ValueError if no script of the platform wrote it."""
    move = read_move(fields.get("e", ""))
    tail = move.tail
    more: dict[str, Any] = {}
    if tail == _TEXTS_BESIDE:
        known = dict(zip(_TEXTS, fields.get("c", "").split("\t"), strict=False))
    else:
        more = json.loads("{" + tail[1:] + "}") if tail else {}
        known = {name: str(more.pop(_JSON_NAMES.get(name, name), "")) for name in _TEXTS}
    return PoolChange(
        at_us=int(fields["at"]) if at_us is None else at_us,
        event=move.event,
        number=move.number,
        before=move.before,
        after=move.after,
        reason=move.reason,
        picked=move.picked,
        since_us=move.since_us,
        ready_us=move.ready_us,
        is_event=tail == _TEXTS_BESIDE,
        more=more,
        **known,
    )
