"""Who hears what the drains find wrong. Incidents are a package above: it registers itself here."""

from collections.abc import Callable
from typing import Protocol

from poolsite.history.stream import State


class DrainAlarms(Protocol):
    """Who hears what drains found of a stream; `tag` is its aggregate's."""

    def backlog(self, tag: str, state: State) -> None:
        """So many entries wait for SQL."""

    def drained(self, tag: str, lag: int, *, gaps: int) -> None:
        """A drain went through; `gaps` entries never reached SQL."""

    def behind(self, tag: str, reason: str) -> None:
        """Redis has lost writes that SQL has, or everything."""

    def fault(self, tag: str, error: str) -> None:
        """SQL refuses the next entries; they stay in Redis."""


_LOADERS: list[Callable[[], DrainAlarms]] = []


def report_to(load: Callable[[], DrainAlarms]) -> None:
    """Have every run of drains report to what `load` returns; in AppConfig.ready()."""
    _LOADERS[:] = [load]


def load_alarms() -> DrainAlarms:
    """Return whom this run reports to. LookupError: nobody has called `report_to`."""
    if not _LOADERS:
        raise LookupError("no alarms for the history: poolsite.operations is not installed")
    return _LOADERS[0]()
