"""The webhook events about upgrades."""

from functools import partial

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from poolsite.moments import iso
from poolsite.operations.webhooks import emitting
from poolsite.operations.webhooks.event_types import EventType, declare
from queueing.dispatch.models import Upgrade

GROUP = _("Upgrades")
COMPLETED, ABORTED = "upgrade.completed", "upgrade.aborted"
_EXAMPLE = {
    "group": "asi",
    "upgrade": 4,
    "version": "2.1.0",
    "started_at": "2026-03-01T01:58:11+00:00",
    "ended_at": "2026-03-01T02:32:07+00:00",
    "reason": "",
}


def register() -> None:
    """Declare the events. AppConfig.ready() calls this once."""
    declare(
        EventType(
            *(COMPLETED, GROUP, _("Upgrade completed")),
            _("Every instance of the upgrade runs the new version."),
            _EXAMPLE,
        ),
        EventType(
            *(ABORTED, GROUP, _("Upgrade aborted")),
            _("A person stopped the upgrade, and said why."),
            _EXAMPLE,
        ),
    )


def tell(kind: str, upgrade: Upgrade) -> None:
    """Emit how an upgrade ended. Call this in the transaction that ends it."""
    ended_at = upgrade.ended_at
    emitting.emit(
        kind,
        account_id=upgrade.group.account_id,
        data={
            "group": upgrade.group.slug,
            "upgrade": upgrade.pk,
            "version": upgrade.target_version,
            "started_at": upgrade.created_at.isoformat(),
            "ended_at": iso(ended_at),
            "reason": upgrade.ended_reason,
        },
        page=partial(reverse, "dispatch:upgrade", args=[upgrade.group.slug, upgrade.pk]),
        key=str(upgrade.pk),
    )
