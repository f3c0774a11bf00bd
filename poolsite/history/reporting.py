"""Where drains report problems.

Incidents are in a package of a higher layer, which registers itself here.
"""

from collections.abc import Callable
from typing import Protocol

from poolsite.history.stream import State


class DrainAlarms(Protocol):
    """Receives what drains find in a stream; `tag` is its aggregate's."""

    def backlog(self, tag: str, state: State) -> None:
        """Report how many entries wait for SQL."""

    def drained(self, tag: str, lag: int, *, gaps: int) -> None:
        """Report a successful drain; `gaps` entries never reached SQL."""

    def behind(self, tag: str, reason: str) -> None:
        """Report that Redis has lost writes that SQL has, or everything."""

    def fault(self, tag: str, error: str) -> None:
        """Report that SQL refuses the next entries; they stay in Redis."""


_LOADERS: list[Callable[[], DrainAlarms]] = []


def report_to(load: Callable[[], DrainAlarms]) -> None:
    """Have drains report to what `load` returns. Call this in AppConfig.ready()."""
    _LOADERS[:] = [load]


def load_alarms() -> DrainAlarms:
    """Return the alarms of this run. Raise LookupError if `report_to` was never called."""
    if not _LOADERS:
        raise LookupError("no alarms for the history: poolsite.operations is not installed")
    return _LOADERS[0]()
