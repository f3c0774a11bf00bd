"""Visitors who come: one by one, or up to 32 of one desk in a list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from poolsite.hotpath import Command
from queueing.line.desk.replies import Standing, read_standing
from queueing.line.desk.scripts import desk_command
from queueing.line.desk.settings import skill_words

JOINS_LIMIT: Final = 32  # in one call of joins


@dataclass(frozen=True, slots=True)
class Join:
    """A visitor who comes, or asks again: who is there keeps the place.

    arrived_us: proved by a resume token: the original place. anyway: wait though nobody serves.
    """

    visit: str
    queue: int
    priority: int = 5
    skills: Mapping[str, int] = field(default_factory=dict)
    arrived_us: int | None = None
    anyway: bool = False

    def words(self) -> tuple[str, ...]:
        """The visitor as the scripts take it."""
        arrived = "" if self.arrived_us is None else str(self.arrived_us)
        return (
            *(self.visit, str(self.queue), str(self.priority), skill_words(self.skills)),
            *(arrived, str(int(self.anyway))),
        )

    def command(self, slug: str) -> Command[Standing]:
        """This visitor as a command of its own; may be run again after a lost reply."""
        return desk_command("join", slug, self.words(), read_standing, self.visit)


def join(
    slug: str,
    visit: str,
    queue: int,
    *,
    priority: int = 5,
    skills: Mapping[str, int] | None = None,
    arrived_us: int | None = None,
    anyway: bool = False,
) -> Command[Standing]:
    """One visitor comes, as `Join` tells."""
    return Join(visit, queue, priority, skills or {}, arrived_us, anyway).command(slug)


def joins(slug: str, batch: Sequence[Join]) -> Command[list[Standing]]:
    """One command for up to JOINS_LIMIT visitors of one desk, let in or refused in their order.

    Its result has for each what `join` has. May be run again after a lost reply. Raises ValueError
    for an empty or longer batch.
    """
    if not 0 < len(batch) <= JOINS_LIMIT:
        raise ValueError(f"a batch has 1 to {JOINS_LIMIT} visitors, not {len(batch)}")

    def read(reply: list[str]) -> list[Standing]:
        if len(reply) < len(batch):  # refused as a whole
            return [read_standing(reply)] * len(batch)
        return [read_standing(row.split("\t")) for row in reply]

    rows = ["\t".join(each.words()) for each in batch]
    return desk_command("joins", slug, rows, read, batch[0].visit)
