"""The rights on pools and numbers."""

from typing import get_args

from django.utils.translation import gettext_lazy as _

from numbers.models import Pool
from numbers.pool.transitions import EventName
from poolsite.access import register_action
from poolsite.access.token_areas import (
    Example,
    TokenArea,
    TokenPurpose,
    TokenRight,
    register_area,
)

VIEWERS = ("owner", "admin", "supervisor")


def register() -> None:
    """Register the actions. Called once, in AppConfig.ready()."""
    register_action("numbers.view", roles=VIEWERS, operators=True, tokens=True)
    register_action("numbers.event", grants=["operate"], tokens=True)
    register_action("numbers.operate", grants=["operate"])
    register_action("numbers.label", grants=["operate"], tokens=True)
    register_action("numbers.create", grants=["operate"], everywhere=True)
    _register_tokens()


def _register_tokens() -> None:
    pool = "/api/v1/pools/{slug}"
    event = '{"event": "reg", "number": "+8613800000000"}'
    label = (
        '{"labels": [{"number": "+8613800000000", "source": "Hiya", "label": "Spam risk", '
        '"seen_at": "2026-01-31T12:00:00Z"}]}'
    )
    register_area(
        TokenArea(
            "pool",
            _("Numbers"),
            _("Pools"),
            _("All pools"),
            _("Choose at least one pool."),
            Pool.objects.all,
            (
                TokenRight("numbers.view", _("View pools and numbers"), Example("GET", pool)),
                TokenRight(
                    "numbers.event",
                    _("Report calls and registrations"),
                    Example("POST", f"{pool}/events", event),
                    events=get_args(EventName),
                ),
                TokenRight(
                    "numbers.label",
                    _("Report spam labels"),
                    Example("POST", f"{pool}/spam-labels", label),
                ),
            ),
            order=10,
        ),
        TokenPurpose(
            "switch",
            _("Switch"),
            _("Kamailio, FreeSWITCH and others report calls of a pool"),
            "settings_phone",
            ("numbers.view", "numbers.event"),
            order=10,
        ),
    )
