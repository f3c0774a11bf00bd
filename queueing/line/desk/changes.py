"""Entries of a desk's history: what the scripts write, read back as values."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

_NAMED: Final = frozenset(("at", "k", "v", "a", "q"))
_NOBODY: Final = ("", "-")


class LineStep(NamedTuple):
    """A place in a queue's line that was gained (+1) or lost (-1)."""

    queue: str
    priority: int
    ticket: int
    step: int


@dataclass(frozen=True, slots=True)
class DeskChange:
    """One entry; docs/reference/line/redis.md says what each kind fills in.

    visit, agent: "" or "-" = none. queue: its id, or "". more: every other field.
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
        """An outcome, a reason or an id, as the kind has it."""
        return self.more.get("w", "")

    @property
    def text(self) -> str:
        """The same for people: scripts write its spaces as underscores."""
        return self.word.replace("_", " ")

    @property
    def by(self) -> str:
        return self.more.get("by", "")

    @property
    def priority(self) -> int:
        """The class in the line. KeyError when the kind has none."""
        return int(self.more["c"])

    @property
    def ticket(self) -> int:
        """The place within the class: the µs of the arrival, as a rule. KeyError as above."""
        return int(self.more["t"])

    def line_steps(self) -> Iterator[LineStep]:
        """Yield how the lines of queues moved: first what one lost, then what one gained."""
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
