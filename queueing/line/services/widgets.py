"""The settings of a desk's chat widget."""

from typing import Any

from django.db import transaction

from poolsite.access.services import aggregates
from poolsite.access.services.actor import Actor, clean_reason, require
from poolsite.access.services.aggregates import Act
from queueing.line.models import Desk, Widget

SETTINGS = ("origins", "colour", "side", "greeting")


def widget_configure(*, actor: Actor, desk: Desk, reason: str = "", **changes: Any) -> Widget:
    """Change a desk's chat widget. Pages opened from now on show it.

    Raise ValidationError if a setting is invalid or unknown.
    """
    require(actor, "line.configure", desk)
    aggregates.require_known(changes, SETTINGS)
    act = Act(actor, "line.widget_configure", clean_reason(reason))
    with transaction.atomic():
        Desk.objects.select_for_update().get(pk=desk.pk)  # one change at a time, even the first
        widget, _made = Widget.objects.get_or_create(desk=desk)
        aggregates.configure(widget, changes, Widget.full_clean, act)
    return widget
