"""Entries of a desk's history: written by the scripts, read here as values."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

_NAMED: Final = frozenset(("at", "k", "v", "a", "q"))
_NOBODY: Final = ("", "-")


class LineStep(NamedTuple):
    """A place that a queue's line gained (+1) or lost (-1)."""

    queue: str
    priority: int
    ticket: int
    step: int


@dataclass(frozen=True, slots=True)
class DeskChange:
    """A history entry; docs/reference/line/redis.md lists the fields of each kind.

    visit, agent: "" or "-" if there is none. queue: its ID, or "". more: every other field.
    """

    at_us: int
    kind: str
    visit: str
    agent: str
    queue: str
    more: Mapping[str, str]

    @property
    def names_visit(self) -> bool:
        return self.visit not in _NOBODY

    @property
    def word(self) -> str:
        """An outcome, a reason or an ID, depending on the kind."""
        return self.more.get("w", "")

    @property
    def text(self) -> str:
        """`word` for people: scripts write its spaces as underscores."""
        return self.word.replace("_", " ")

    @property
    def by(self) -> str:
        return self.more.get("by", "")

    @property
    def priority(self) -> int:
        """The class in the line. Raises KeyError if the kind has none."""
        return int(self.more["c"])

    @property
    def ticket(self) -> int:
        """The place within the class, usually the µs of the arrival.

        Raises KeyError if there is none.
        """
        return int(self.more["t"])

    def line_steps(self) -> Iterator[LineStep]:
        """Iterate over the changes of queues' lines: first the loss, then the gain."""
        moved = self.more.get("d", "")
        if moved[:1] in ("-", "~"):
            queue, priority, ticket = moved[1:].split(":")
            yield LineStep(queue, int(priority), int(ticket), -1)
        if moved[:1] in ("+", "~"):
            yield LineStep(self.queue, self.priority, self.ticket, 1)


def read_change(fields: Mapping[str, str], at_us: int | None = None) -> DeskChange:
    """Return an entry of the stream."""
    return DeskChange(
        at_us=int(fields["at"]) if at_us is None else at_us,
        kind=fields.get("k", ""),
        visit=fields.get("v", ""),
        agent=fields.get("a", ""),
        queue=fields.get("q", ""),
        more={name: text for name, text in fields.items() if name not in _NAMED},
    )
