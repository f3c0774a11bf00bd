"""The live topics of the incidents and of the system page.

`operations.incidents:all` or `…:<account id>`, and for other languages than English
`…:all.zh-hans`; `operations.webhooks:…` likewise; `operations.system:all`.
"""

import time
from typing import Any

from django.utils.translation import override

from poolsite import live
from poolsite.access import Decision, Principal, decide
from poolsite.live.scopes import AccountTopic
from poolsite.operations import attention

NAME = "operations.incidents"
HEALTH_PERIOD_SECONDS = 1.0
ACCOUNT_PERIOD_SECONDS = 10.0
TICK_SECONDS = 2.0


class IncidentsTopic(AccountTopic, live.SnapshotTopic):
    """What needs attention: {"causes": [cause], "snoozed": [cause], "critical": n, …}.

    See `attention.as_live`. The platform's health is judged every HEALTH_PERIOD_SECONDS while a
    page shows it, because a process that stops responding sends no wake.
    """

    name = action = NAME

    async def read(self) -> dict[str, Any]:
        return await live.in_thread(self._read)

    def _read(self) -> dict[str, Any]:
        with override(self.language):
            found = attention.causes(self.account_id)
            account = self.account_id is not None
            return attention.as_live(attention.sorted_out(found, account=account))

    def due_seconds(self) -> float | None:
        """Return when to read next. An account needs this only for snoozes and failed checks."""
        return HEALTH_PERIOD_SECONDS if self.account_id is None else ACCOUNT_PERIOD_SECONDS

    def wake_channels(self) -> list[str]:
        """Return one channel for all languages."""
        return [live.touch_channel(f"{NAME}:{self.scope}")]


class _TickingTopic(live.SnapshotTopic):
    """Ticks while a page is open: {"tick": n}. The page then reads itself again."""

    async def read(self) -> Any:
        return {"tick": int(time.monotonic() / TICK_SECONDS)}

    def due_seconds(self) -> float:
        return TICK_SECONDS - time.monotonic() % TICK_SECONDS


class WebhooksTopic(AccountTopic, _TickingTopic):
    """Ticks for the pages of the endpoints and their deliveries."""

    name = action = "operations.webhooks"


class SystemTopic(_TickingTopic):
    """Ticks for the system page."""

    name = "operations.system"

    def __init__(self, key: str) -> None:
        super().__init__(key)
        if key != "all":
            raise ValueError(f"no system {key!r}")

    async def allowed(self, principal: Principal) -> Decision:
        return decide(principal, "operations.system")


def register() -> None:
    """Register the topics. AppConfig.ready() calls this once."""
    from poolsite.operations.overview import OverviewTopic

    live.register(IncidentsTopic)
    live.register(OverviewTopic)
    live.register(SystemTopic)
    live.register(WebhooksTopic)
