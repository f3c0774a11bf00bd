"""Topics that notify operators' pages of changed lists: flagged reports, and the books."""

from abc import ABC, abstractmethod
from typing import Any

from django.db.models import Count, Max

from billing.models import Adjustment, AuditRun, FlaggedReport, WriterRun
from poolsite import access, live

LOOK_SECONDS = 2.0


class _WorkTopic(live.SnapshotTopic, ABC):
    """One state for every operator; pages that receive a change redraw themselves."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        if key != "all":
            raise ValueError(f"no list of {key!r}")

    async def allowed(self, principal: access.Principal) -> access.Decision:
        return access.decide(principal, "billing.books")

    def due_seconds(self) -> float | None:
        """Poll: the persistence writes without a notification."""
        return LOOK_SECONDS

    async def read(self) -> Any:
        return await live.in_thread(self.look)

    @abstractmethod
    def look(self) -> Any:
        """Return a value that changes whenever the page would."""


@live.register
class FlaggedTopic(_WorkTopic):
    """`billing.flagged:all`: changes with the flagged reports, the open and the waiting ones."""

    name = "billing.flagged"

    def look(self) -> Any:
        rows = FlaggedReport.objects
        waiting = Adjustment.objects.filter(status=Adjustment.Status.WAITING)
        return {
            "open": rows.filter(closed_at=None).count(),
            "last": rows.aggregate(found=Max("pk"))["found"],
            "waiting": waiting.exclude(flagged_report=None).count(),
        }


@live.register
class BooksTopic(_WorkTopic):
    """`billing.books:all`: the latest turns of the persistence and of the audit."""

    name = "billing.books"

    def look(self) -> Any:
        last = AuditRun.objects.order_by("-pk").values("pk", "wallets", "different").first()
        return {
            "audit": last,
            "ended": AuditRun.objects.aggregate(found=Count("ended_at"))["found"],
            "turn": WriterRun.objects.aggregate(found=Max("pk"))["found"],
        }
