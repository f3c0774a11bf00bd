"""What webhooks tell of numbers: which were quarantined, and which are in use again."""

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
    """Called once, by AppConfig.ready()."""
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
    """Tell of these numbers, one event each; in the change's transaction."""
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
