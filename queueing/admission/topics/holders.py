"""`admission.holders:<slug>`: the permits. `admission.line:<slug>`: the waiting line."""

from abc import abstractmethod
from typing import Any

from poolsite import hotpath, live
from queueing.admission import gate as commands
from queueing.admission.selectors.holders import SHOWN, holder_rows, line_rows
from queueing.admission.topics.scope import GateScope

CLOCK_SECONDS = 1.0


class _Rows(live.RowsTopic, GateScope):
    """A part of a gate as a table. It is empty while Redis has no such gate."""

    async def read(self) -> dict[str, Any]:
        try:
            return await self._rows()
        except commands.GateRefusedError as error:
            if error.reason != commands.reasons.NO_SUCH_GATE:
                raise
            return {}

    @abstractmethod
    async def _rows(self) -> dict[str, Any]:
        """Return the rows that are shown."""

    def due_seconds(self) -> float | None:
        return CLOCK_SECONDS


@live.register
class HoldersTopic(_Rows):
    """The first permits by deadline, as `holder_rows` returns them."""

    name = "admission.holders"

    async def _rows(self) -> dict[str, Any]:
        return holder_rows(await hotpath.arun(commands.holders(self.slug, 0, SHOWN)))


@live.register
class LineTopic(_Rows):
    """The first requesters in line, as `line_rows` returns them."""

    name = "admission.line"

    async def _rows(self) -> dict[str, Any]:
        return line_rows(await hotpath.arun(commands.line(self.slug, 0, SHOWN)))
