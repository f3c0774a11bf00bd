"""What is known of terminals: how many stand in the table, the last files, and one number."""

from dataclasses import dataclass

from django.conf import settings

from billing.abilities import Ability
from billing.models import TerminalAbility, TerminalFile, TerminalListing
from billing.services.abilities import look_up
from poolsite import access, number_format
from poolsite.access import Principal

FILES = 20


@dataclass(frozen=True)
class Terminals:
    """The table and what was answered; `files`: the last uploads, newest first."""

    provider: str
    listed: int
    listed_yuexin: int
    kept: int
    files: list[TerminalFile]


def terminals(principal: Principal) -> Terminals:
    """For operators; access.Forbidden otherwise."""
    access.require(principal, "billing.books")
    listings = TerminalListing.objects.all()
    return Terminals(
        provider=settings.BILLING_ABILITY_PROVIDER,
        listed=listings.count(),
        listed_yuexin=listings.filter(supports_yuexin=True).count(),
        kept=TerminalAbility.objects.count(),
        files=list(TerminalFile.objects.select_related("job")[:FILES]),
    )


def ability_of(principal: Principal, text: str) -> Ability:
    """What a hold would know of a number. number_format.NotANumberError for what is none."""
    access.require(principal, "billing.books")
    number = number_format.parse(text)
    return look_up([number])[number]
