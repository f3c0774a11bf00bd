"""The live topics of the incidents and of the system page.

`operations.incidents:all` or `…:<account id>`, and in another language than English
`…:all.zh-hans`; `operations.webhooks:…` alike; `operations.system:all`.
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
SYSTEM_PERIOD_SECONDS = 2.0


class IncidentsTopic(AccountTopic, live.SnapshotTopic):
    """What needs attention: {"causes": [cause], "snoozed": [cause], "critical": n, …}, see
    `attention.as_live`.

    The platform's is judged anew every HEALTH_PERIOD_SECONDS while somebody looks, because what
    falls silent wakes nobody.
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
        """When it is judged next; of an account, only whether a snooze or the checks have ended."""
        return HEALTH_PERIOD_SECONDS if self.account_id is None else ACCOUNT_PERIOD_SECONDS

    def wake_channels(self) -> list[str]:
        """One wake for every language."""
        return [live.touch_channel(f"{NAME}:{self.scope}")]


class WebhooksTopic(AccountTopic, live.SnapshotTopic):
    """Ticks when an endpoint or a delivery has changed: {"tick": n}. The page then asks again."""

    name = action = "operations.webhooks"

    async def read(self) -> dict[str, int]:
        return {"tick": time.monotonic_ns()}

    def wake_channels(self) -> list[str]:
        """One wake for every language."""
        return [live.touch_channel(f"{self.name}:{self.scope}")]


class SystemTopic(live.SnapshotTopic):
    """Ticks while somebody looks at the system page: {"tick": n}. The page then asks again."""

    name = "operations.system"

    def __init__(self, key: str) -> None:
        super().__init__(key)
        if key != "all":
            raise ValueError(f"no system {key!r}")

    async def allowed(self, principal: Principal) -> Decision:
        return decide(principal, "operations.system")

    async def read(self) -> dict[str, int]:
        return {"tick": int(time.monotonic() / SYSTEM_PERIOD_SECONDS)}

    def due_seconds(self) -> float:
        return SYSTEM_PERIOD_SECONDS - time.monotonic() % SYSTEM_PERIOD_SECONDS


def register() -> None:
    """Called once, by AppConfig.ready()."""
    from poolsite.operations.overview import OverviewTopic

    live.register(IncidentsTopic)
    live.register(OverviewTopic)
    live.register(SystemTopic)
    live.register(WebhooksTopic)
