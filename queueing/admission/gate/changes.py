"""Entries of a gate's history, which the scripts write, parsed into values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

EVENTS: Final = (
    *("created", "recovering", "opened", "paused", "resumed", "configured", "resized"),
    *("granted", "renewed", "adopted", "released", "expired", "freed", "overrun"),
    *("issued", "done", "failed", "returned", "late"),
    *("began", "held", "went on", "extended", "cancelled", "loaded", "closed", "ended", "finished"),
)


@dataclass(frozen=True, slots=True)
class GateChange:
    """A history entry. docs/reference/admission/redis.md lists the fields of each event.

    `holder`: a name, `@device` or `#token`. `data`: a result's JSON; for resized "from to"; for
    closed the tasks, separated by commas; for loaded how many; for overrun the count and the cap.
    """

    at_us: int
    event: str
    holder: str = ""
    token: int | None = None
    deadline_us: int | None = None
    task: int | None = None
    attempt: int | None = None
    batch: int | None = None
    reason: str = ""
    data: str = ""

    @property
    def device(self) -> str:
        """The device, or "" for other holders."""
        return self.holder[1:] if self.holder.startswith("@") else ""

    @property
    def tasks(self) -> list[int]:
        """The tasks of a `closed` entry."""
        return [int(word) for word in self.data.split(",")] if self.event == "closed" else []


def read_change(fields: Mapping[str, str], at_us: int | None = None) -> GateChange:
    """Parse an entry of the stream. Raise ValueError if it was not written by our scripts."""
    columns = fields.get("e", "").split("\t")
    if len(columns) != 9:
        raise ValueError(f"not an entry of a gate: {dict(fields)!r}")
    event, holder, token, deadline, task, attempt, batch, reason, data = columns
    return GateChange(
        at_us=int(fields["at"]) if at_us is None else at_us,
        event=event,
        holder=holder,
        token=_number(token),
        deadline_us=_number(deadline),
        task=_number(task),
        attempt=_number(attempt),
        batch=_number(batch),
        reason=reason,
        data=data,
    )


def _number(text: str) -> int | None:
    return int(text) if text else None
