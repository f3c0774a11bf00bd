"""Arriving visitors: one at a time, or up to 32 of one desk in a list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from poolsite.hotpath import Command
from queueing.line.desk.replies import Standing, read_standing
from queueing.line.desk.scripts import desk_command
from queueing.line.desk.settings import skill_words

JOINS_LIMIT: Final = 32  # per call of joins


@dataclass(frozen=True, slots=True)
class Join:
    """A visitor who joins. A visit that the desk already has keeps its place.

    arrived_us: the original arrival, proved by a resume token. anyway: wait even if no agent
    serves.
    """

    visit: str
    queue: int
    priority: int = 5
    skills: Mapping[str, int] = field(default_factory=dict)
    arrived_us: int | None = None
    anyway: bool = False

    def words(self) -> tuple[str, ...]:
        """Return the visitor as arguments of the scripts."""
        arrived = "" if self.arrived_us is None else str(self.arrived_us)
        return (
            *(self.visit, str(self.queue), str(self.priority), skill_words(self.skills)),
            *(arrived, str(int(self.anyway))),
        )

    def command(self, slug: str) -> Command[Standing]:
        """Return the command that joins this visitor alone.

        It may be repeated after a lost reply.
        """
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
    """Join one visitor; see `Join`."""
    return Join(visit, queue, priority, skills or {}, arrived_us, anyway).command(slug)


def joins(slug: str, batch: Sequence[Join]) -> Command[list[Standing]]:
    """Return one command for up to JOINS_LIMIT visitors of a desk, processed in order.

    The result has the reply of `join` for each visitor. The command may be repeated after a lost
    reply. Raise ValueError if the batch is empty or too long.
    """
    if not 0 < len(batch) <= JOINS_LIMIT:
        raise ValueError(f"a batch has 1 to {JOINS_LIMIT} visitors, not {len(batch)}")

    def read(reply: list[str]) -> list[Standing]:
        if len(reply) < len(batch):  # the whole batch was refused
            return [read_standing(reply)] * len(batch)
        return [read_standing(row.split("\t")) for row in reply]

    rows = ["\t".join(each.words()) for each in batch]
    return desk_command("joins", slug, rows, read, batch[0].visit)
