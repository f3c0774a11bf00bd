"""The live topic of an aggregate's figures."""

from abc import abstractmethod
from typing import Any

from poolsite import hotpath, live
from poolsite.hotpath.aggregates import AggregateFigures
from poolsite.live.tail import version_at

CLOCK_SECONDS = 1.0  # figures also change without an entry


class FiguresTopic(live.StateTopic):
    """One aggregate's figures, for a topic that has a `slug`. A change is the new state."""

    slug: str

    @abstractmethod
    def show(self, slug: str) -> hotpath.Command[Any]:
        """Return the command that reads the figures."""

    @abstractmethod
    def figures(self, found: Any) -> dict[str, Any]:
        """Return the figures for pages from the command's result."""

    async def look(self) -> live.Snapshot:
        found: AggregateFigures | None = await hotpath.arun(self.show(self.slug))
        version = version_at(found.generation, found.seq) if found else 0
        return live.Snapshot(version, self.figures(found))

    def due_seconds(self) -> float | None:
        return CLOCK_SECONDS
