"""A desk's chat widget is set up."""

from typing import Any

from django.db import transaction

from poolsite.access.services import aggregates
from poolsite.access.services.actor import Actor, clean_reason, require
from poolsite.access.services.aggregates import Act
from queueing.line.models import Desk, Widget

SETTINGS = ("origins", "colour", "side", "greeting")


def widget_configure(*, actor: Actor, desk: Desk, reason: str = "", **changes: Any) -> Widget:
    """Change the widget of a desk; pages that are opened from now on have it.

    ValidationError when a setting is bad or unknown.
    """
    require(actor, "line.configure", desk)
    aggregates.require_known(changes, SETTINGS)
    act = Act(actor, "line.widget_configure", clean_reason(reason))
    with transaction.atomic():
        Desk.objects.select_for_update().get(pk=desk.pk)  # one at a time, also the first
        widget, _made = Widget.objects.get_or_create(desk=desk)
        aggregates.configure(widget, changes, Widget.full_clean, act)
    return widget
