"""What the pages of money share: addresses that may not exist yet, filters, a second factor."""

from typing import Any

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse

from billing.models import Wallet
from poolsite import access
from poolsite.access import Decision, Principal
from poolsite.access.confirming import factor_url


def link(name: str, *args: Any) -> str:
    """The address of a page; "" when no page of that name is there."""
    try:
        return reverse(f"billing:{name}", args=args)
    except NoReverseMatch:
        return ""


def may_pay(principal: Principal, wallet: Wallet) -> bool:
    """Whether the reader may pay in, once a second factor is proved where it is asked for."""
    return access.decide(principal, "billing.pay", wallet).possible


def given(request: HttpRequest, *names: str) -> dict[str, str]:
    """The filters of a page's address, cut to what fits a field."""
    return {name: request.GET.get(name, "").strip()[:120] for name in names}


def number_of(text: str) -> int | None:
    """A small whole number of an address; None when it is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else None


def finance_of(
    principal: Principal, thing: object | None, request: HttpRequest
) -> tuple[bool, str]:
    """Whether the reader may do the work of finance, and the page that asks for a second factor
    first, which leads back here ("" = none is needed)."""
    answer = access.decide(principal, "billing.finance", thing)
    if answer is Decision.FACTOR:
        return True, factor_url(request)
    return answer.allowed, ""
