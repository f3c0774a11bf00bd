"""`line.desk:<slug>`: a wallboard, live. `line.desks:<account or all>`: a row for each desk."""

import time
from typing import Any

from poolsite import access, live
from poolsite.live.lists import AggregateListTopic
from poolsite.live.scopes import slug_of
from queueing.line import desk as commands
from queueing.line.models import Desk
from queueing.line.selectors import floor, wallboard
from queueing.line.selectors.desks import figures_of

PERIOD_SECONDS = 1.0  # a wallboard is read from afar: one update a second is enough


class DeskTopic(live.SnapshotTopic):
    """The data of selectors.wallboard.board, read every 1 to 5 seconds."""

    name = "line.desk"

    def __init__(self, key: str) -> None:
        super().__init__(slug_of(key, "desk"))
        self.tag = commands.DeskKeys(self.key).tag
        self._read_at = float("-inf")
        self._known: dict[str, Any] = {}

    async def allowed(self, principal: access.Principal) -> access.Decision:
        desk = await live.in_thread(_desk, self.key)
        if desk is None:
            return access.Decision.HIDDEN
        return access.decide(
            principal, "line.view", access.Thing("desk", desk.slug, desk.account_id)
        )

    def wake_channels(self) -> list[str]:
        """Return the channels of the desk and of the topic."""
        return [commands.DeskKeys(self.key).wake_channel, live.touch_channel(self.address)]

    async def read(self) -> dict[str, Any]:
        if not self._known or time.monotonic() - self._read_at >= PERIOD_SECONDS:
            self._read_at = time.monotonic()
            self._known = await live.in_thread(_board, self.key)
        return self._known

    def due_seconds(self) -> float:
        """Return the seconds until the next read.

        SQL's figures change without a wake, and an early wake waits for this read.
        """
        return max(0.0, PERIOD_SECONDS - (time.monotonic() - self._read_at))


class FloorTopic(DeskTopic):
    """`line.floor:<slug>`: the data of selectors.floor.floor, as often as the wallboard."""

    name = "line.floor"

    async def read(self) -> dict[str, Any]:
        if not self._known or time.monotonic() - self._read_at >= PERIOD_SECONDS:
            self._read_at = time.monotonic()
            self._known = await live.in_thread(_floor, self.key)
        return self._known


class DeskListTopic(AggregateListTopic):
    """Every desk of an account, or of the platform and all accounts: slug → figures and name."""

    name = "line.desks"
    model = Desk
    action = "line.view"
    show = staticmethod(commands.show)
    figures = staticmethod(figures_of)


def _desk(slug: str) -> Desk | None:
    return Desk.objects.filter(slug=slug).first()


def _floor(slug: str) -> dict[str, Any]:
    desk = Desk.objects.select_related("account").filter(slug=slug).first()
    return floor.floor(desk) if desk is not None else {}


def _board(slug: str) -> dict[str, Any]:
    desk = Desk.objects.select_related("account").filter(slug=slug).first()
    return wallboard.board(desk) if desk is not None else {}
