"""Gathers joins of simultaneous requests into one list per desk."""

from functools import partial

from poolsite.api.gather import Gatherer, run_from_thread
from poolsite.per_loop import PerLoop
from queueing.line import desk as commands


def run(desk: str, coming: commands.Join) -> commands.Standing:
    """Join a visitor, together with those of other requests.

    For threads that serve a request. Raises the errors of hotpath.run.
    """
    return run_from_thread(_gatherer, partial(coming.command, desk), desk, coming)


_gatherer: PerLoop[Gatherer[commands.Join, commands.Standing]] = PerLoop(
    partial(Gatherer, commands.joins)
)
