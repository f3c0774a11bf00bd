"""Code shared by the pages of money: optional addresses, filters, a second factor."""

from typing import Any

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse

from billing.models import Wallet
from poolsite import access
from poolsite.access import Decision, Principal
from poolsite.access.confirming import factor_url


def link(name: str, *args: Any) -> str:
    """Return the address of a page, or "" if there is no page of that name."""
    try:
        return reverse(f"billing:{name}", args=args)
    except NoReverseMatch:
        return ""


def may_pay(principal: Principal, wallet: Wallet) -> bool:
    """Whether the user may pay in, after proving a second factor where one is required."""
    return access.decide(principal, "billing.pay", wallet).possible


def given(request: HttpRequest, *names: str) -> dict[str, str]:
    """Return the filters in a page's address, cut to the length of a field."""
    return {name: request.GET.get(name, "").strip()[:120] for name in names}


def number_of(text: str) -> int | None:
    """Return a small whole number of an address, or None for other texts."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else None


def finance_of(
    principal: Principal, thing: object | None, request: HttpRequest
) -> tuple[bool, str]:
    """Return whether the user may do finance work, and the address for a second factor.

    The address returns to this page afterwards; it is "" if no second factor is needed.
    """
    answer = access.decide(principal, "billing.finance", thing)
    if answer is Decision.FACTOR:
        return True, factor_url(request)
    return answer.allowed, ""
