"""Entries of a group's history, which the scripts write, parsed into values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

EVENTS: Final = (
    *("created", "recovering", "opened", "configured"),
    *("registered", "reconnected", "restarted", "replaced", "pending", "active", "stopped"),
    *("resynced", "cleared", "open", "drain", "blocked", "upgrading", "upgraded", "forgotten"),
    *("ended", "disconnected"),
    *("retried", "ejected", "returned", "backup", "primary"),
)


@dataclass(frozen=True, slots=True)
class GroupChange:
    """A history entry. docs/reference/dispatch/redis.md lists the fields of each event.

    peer: a peer key.
    """

    at_us: int
    event: str
    peer: str = ""
    name: str = ""
    other: str = ""
    count: int | None = None
    reason: str = ""
    data: str = ""


def read_change(fields: Mapping[str, str], at_us: int | None = None) -> GroupChange:
    """Parse an entry of the stream. Raise ValueError if it was not written by our scripts."""
    columns = fields.get("e", "").split("\t")
    if len(columns) != 7:
        raise ValueError(f"not an entry of a group: {dict(fields)!r}")
    event, peer, name, other, count, reason, data = columns
    return GroupChange(
        at_us=int(fields["at"]) if at_us is None else at_us,
        event=event,
        peer=peer,
        name=name,
        other=other,
        count=int(count) if count else None,
        reason=reason,
        data=data,
    )
