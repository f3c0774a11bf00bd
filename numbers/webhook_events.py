"""The webhooks of numbers: which were quarantined, and which are in use again."""

from collections.abc import Sequence
from functools import partial

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from numbers.models import Pool
from poolsite.operations.webhooks import emitting
from poolsite.operations.webhooks.event_types import EventType, declare

GROUP = _("Numbers")
QUARANTINED, RELEASED = "number.quarantined", "number.released"
_EXAMPLE = {
    "pool": "sales",
    "number": "+8613800000000",
    "reason": "Answer rate below 20%",
    "by": "number health",
}


def register() -> None:
    """Declare the event types. Called once, in AppConfig.ready()."""
    declare(
        EventType(
            *(QUARANTINED, GROUP, _("Number quarantined")),
            _("A person or a health rule took the number out of use."),
            _EXAMPLE,
        ),
        EventType(
            *(RELEASED, GROUP, _("Number released")),
            _("The number can be used for calls again."),
            _EXAMPLE,
        ),
    )


def tell(kind: str, pool: Pool, values: Sequence[str], *, reason: str, by: str) -> None:
    """Emit one event for each of these numbers, in the transaction of the change."""
    emitting.emit_many(
        [
            emitting.Happened(
                kind,
                pool.account_id,
                {"pool": pool.slug, "number": value, "reason": reason, "by": by},
                page=partial(reverse, "numbers:number", args=[value]),
            )
            for value in values
        ]
    )
