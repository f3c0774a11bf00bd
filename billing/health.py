"""Billing's health checks: the Redis servers of heavy accounts, and the external services.

The external services are those that campaigns, terminals and top-ups use.
"""

from collections.abc import Iterator
from functools import partial

from django.conf import settings
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from billing import servers
from poolsite import operations
from poolsite.operations import checks, health
from poolsite.operations.doctor import outside
from poolsite.operations.incidents import Trouble

INCIDENT = "health.billing_redis"
STRIPE = "https://api.stripe.com"


def register() -> None:
    """Register a check for each server in POOLSITE_BILLING_REDIS_URLS, if any.

    No check is required: while a server is down, all pages and the other accounts still work.
    """
    operations.register_examination(operations.Examination("providers", _providers))
    for name in servers.further():
        operations.register_check(
            operations.Check(
                f"redis:{name}",
                format_lazy("{} {}", _("Redis"), name),
                partial(_ask, name),
                incident=(INCIDENT, name),
                away=_away(name),
            )
        )


def _ask(name: str) -> operations.Finding:
    return checks.takes_writes(
        servers.named(name),
        gettext_noop("Redis server %(server)s refuses writes"),
        gettext_noop("Holds are refused for the accounts on this server: %(reason)s"),
        server=name,
    )


def _away(name: str) -> Trouble:
    return Trouble(
        "critical",
        gettext_noop("Redis server %(server)s can't be reached"),
        gettext_noop(
            "Holds and reports are refused for the accounts on this server until it is back."
        ),
        gettext_noop("Start Redis, or check its log and the network."),
        health.PAGE,
        {"server": name},
    )


def _providers() -> Iterator[operations.DoctorLine]:
    """Check that the external servers of campaigns, terminals and top-ups accept connections."""
    urls = {"POOLSITE_GATEWAY_URL": settings.BILLING_GATEWAY_URL}
    if settings.BILLING_ABILITY_PROVIDER != "table":
        urls["POOLSITE_ABILITY_URL"] = settings.BILLING_ABILITY_URL
    if "stripe" in settings.PAYMENTS:
        urls["POOLSITE_PAYMENTS stripe"] = STRIPE
    for setting, url in urls.items():
        if url:
            yield outside.provider(setting, url)
        else:
            yield operations.DoctorLine("skip", f"{setting} is not set")
