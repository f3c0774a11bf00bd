"""Data about terminals: the size of the table, the last files, and the ability of one number."""

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
    """The sizes of the table and of the stored answers; `files`: the last uploads, newest first."""

    provider: str
    listed: int
    listed_yuexin: int
    kept: int
    files: list[TerminalFile]


def terminals(principal: Principal) -> Terminals:
    """Return the data for operators. Raise access.Forbidden for other users."""
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
    """Return what a hold would know of a number. Raise NotANumberError if the text is no number."""
    access.require(principal, "billing.books")
    number = number_format.parse(text)
    return look_up([number])[number]
