"""Entries of a pool's history: what the scripts write, read back as values."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from numbers.pool.number_state import state_letter, state_name


@dataclass(frozen=True, slots=True)
class PoolChange:
    """One entry. `before` and `after` are codes that state_letter and state_name read.

    event: add del reg unreg call hangup renew; released (a call, by time, restart or list) forced
    suspect blocked; quarantined unquarantined confirmed; rested (its rest was shortened); switch
    restart; created recovering opened paused resumed configured. `picked`: longest sticky near
    asked offered. `since_us`: the state before began, or could be picked from, then. `ready_us`:
    the number may be picked from then.
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
    answered: str = ""  # what a hangup told: "1", "0", or nothing
    talk_seconds: str = ""
    cause: str = ""
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
    def begins_call(self) -> bool:
        return self.event == "call"

    @property
    def ends_call(self) -> bool:
        """Whether a call of the number ended here (also one whose number was deleted)."""
        return self.event in ("hangup", "released", "forced")


_TEXTS_BESIDE: Final = "w"  # the entry's texts stand in its field `c`, joined by tabs
_TEXTS: Final = (
    *("call_id", "switch", "incarnation", "agent", "callee", "direction"),
    *("contact", "answered", "talk_seconds", "cause"),
)
_JSON_NAMES: Final = {"call_id": "call"}


def read_change(fields: Mapping[str, str], at_us: int | None = None) -> PoolChange:
    """Return an entry of the stream. Raises ValueError for one that no script of ours wrote."""
    words = fields.get("e", "").split("\t")
    if len(words) != 9:
        raise ValueError(f"not an entry of a pool: {dict(fields)!r}")
    event, number, before, after, reason, picked, since, ready, tail = words
    more: dict[str, Any] = {}
    if tail == _TEXTS_BESIDE:
        known = dict(zip(_TEXTS, fields.get("c", "").split("\t"), strict=False))
    else:
        more = json.loads("{" + tail[1:] + "}") if tail else {}
        known = {name: str(more.pop(_JSON_NAMES.get(name, name), "")) for name in _TEXTS}
    return PoolChange(
        at_us=int(fields["at"]) if at_us is None else at_us,
        event=event,
        number=number,
        before=before,
        after=after,
        reason=reason,
        picked=picked,
        since_us=int(since or 0),
        ready_us=int(ready or 0),
        more=more,
        **known,
    )
