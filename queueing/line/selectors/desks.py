"""Desks with their figures: for the list of desks, its live topic, and the overview."""

from typing import Any

from poolsite.aggregates.reading import Now, Visible
from poolsite.hotpath.rows import with_figures
from poolsite.moments import moment_of
from queueing.line import desk as commands
from queueing.line.models import Desk


class DeskRow(Now[Desk, commands.DeskFigures]):
    """A desk and its figures, which are None while Redis is unavailable."""

    @property
    def desk(self) -> Desk:
        """The desk."""
        return self.row

    @property
    def waiting(self) -> int | None:
        return self.told.get("waiting")

    @property
    def free(self) -> int | None:
        return self.told.get("free")

    @property
    def queues(self) -> int | None:
        return self.told.get("queues")

    @property
    def told(self) -> dict[str, Any]:
        """The row in the form of the live list."""
        return figures_of(self.figures)

    @property
    def longest_seconds(self) -> int | None:
        """How long the first visitor in line has waited; 0 if no one waits, None if unknown."""
        if self.figures is None:
            return None
        return (
            max(0, self.figures.now_ms // 1_000 - self.oldest_us // 10**6) if self.oldest_us else 0
        )

    @property
    def oldest_us(self) -> int:
        """The arrival of the longest-waiting visitor, or 0."""
        return _oldest(self.figures) if self.figures is not None else 0

    @property
    def oldest_at(self) -> str:
        """The same arrival as ISO text for a page, or ""."""
        return moment_of(self.oldest_us).isoformat() if self.oldest_us else ""


DESKS = Visible(Desk, "line.view")


def desk_rows(desks: list[Desk]) -> list[DeskRow]:
    """Return the desks with their figures, read together. Does not fail while Redis is away."""
    return [DeskRow(*each) for each in with_figures(desks, commands.show, patient=True)]


def figures_of(found: commands.DeskFigures | None) -> dict[str, Any]:
    """Return a desk's row in the form of the live list of desks."""
    if found is None:
        return {"status": "missing"}
    queues = found.queues.values()
    return {
        "status": found.status,
        "queues": len(queues),
        "waiting": sum(queue.waiting for queue in queues),
        "free": sum(queue.free for queue in queues),
        "oldest_ms": _oldest(found) // 1_000,
    }


def _oldest(found: commands.DeskFigures) -> int:
    return min((each.oldest_us for each in found.queues.values() if each.oldest_us), default=0)
