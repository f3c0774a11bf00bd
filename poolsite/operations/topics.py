"""The live topics of the incidents and of the system page.

`operations.incidents:all` or `…:<account id>`, and in another language than English
`…:all.zh-hans`; `operations.system:all`.
"""

import time
from typing import Any

from django.utils.translation import override

from poolsite import live
from poolsite.access import Decision, Principal, decide
from poolsite.live.scopes import AccountTopic
from poolsite.operations.models import Incident
from poolsite.operations.page_words import page_word

NAME = "operations.incidents"
MOST_ROWS = 50
SYSTEM_PERIOD_SECONDS = 2.0


class IncidentsTopic(AccountTopic, live.SnapshotTopic):
    """Open incidents, worst first: {"incidents": [row], "critical": n, "warnings": n}."""

    name = action = NAME

    async def read(self) -> dict[str, Any]:
        return await live.in_thread(self._read)

    def _read(self) -> dict[str, Any]:
        rows = Incident.objects.filter(until=None).order_by("severity", "since")
        if self.account_id is not None:
            rows = rows.filter(account_id=self.account_id)
        found = list(rows[: MOST_ROWS + 1])
        severities = [row.severity for row in found]
        with override(self.language):
            return {
                "incidents": [as_row(row) for row in found[:MOST_ROWS]],
                "critical": severities.count(Incident.Severity.CRITICAL),
                "warnings": severities.count(Incident.Severity.WARNING),
            }

    def wake_channels(self) -> list[str]:
        """One wake for every language."""
        return [live.touch_channel(f"{NAME}:{self.scope}")]


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


def as_row(incident: Incident) -> dict[str, Any]:
    """One incident as pages show it, in the active language."""
    return {
        "id": incident.pk,
        "type": incident.type,
        "object": incident.object,
        "severity": incident.severity,
        "title": incident.title,
        "detail": incident.detail,
        "remedy": incident.remedy,
        "url": incident.url,
        "button": page_word(incident.url),
        "since": incident.since.isoformat(),
        "acknowledged_by": incident.acknowledged_name,
    }


def register() -> None:
    """Called once, by AppConfig.ready()."""
    from poolsite.operations.overview import OverviewTopic

    live.register(IncidentsTopic)
    live.register(OverviewTopic)
    live.register(SystemTopic)
