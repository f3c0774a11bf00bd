"""A wallet's journal written by hand for these tests: months of top-ups, charges and credits."""

import itertools
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from billing.models import JournalEntry, Wallet

_SEQ = itertools.count(1_000)  # after the entries that other tests write by hand


def at_us(wallet: Wallet, *moment: int) -> int:
    """Return a moment of the account's own clock."""
    zone = ZoneInfo(wallet.account.zone)
    return int(datetime(*moment, tzinfo=zone).timestamp() * 1_000_000)


def put(wallet: Wallet, at: int, kind: str, **legs: Any) -> JournalEntry:
    """Write an entry whose legs sum to 0. The remainder is the world's leg (cash)."""
    given = {leg: legs.get(leg, 0) for leg in ("spendable", "held", "receivable", "revenue")}
    legs.setdefault("operation_id", f"op-{kind}")
    return JournalEntry.objects.create(
        wallet=wallet,
        generation=1,
        seq=next(_SEQ),
        at_us=at,
        kind=kind,
        cash=-sum(given.values()),
        **{**legs, **given},
    )


def top_up(wallet: Wallet, at: int, units: int, number: int = 1) -> JournalEntry:
    return put(wallet, at, "recharge", spendable=units, operation_id=f"recharge:{number}")


def charge(wallet: Wallet, at: int, mode: str, units: int, **more: Any) -> JournalEntry:
    return put(wallet, at, "settle", spendable=-units, revenue=units, mode=mode, **more)


def credit(wallet: Wallet, at: int, units: int, name: str = "adj-1") -> JournalEntry:
    return put(wallet, at, "credit", spendable=units, revenue=-units, operation_id=name)


def two_months(wallet: Wallet) -> None:
    """Write January and February 2026 with every kind of line that a statement has."""
    for month in (1, 2):
        top_up(wallet, at_us(wallet, 2026, month, 3, 9), 1_000_000 * month, number=month)
        for day in (3, 4, 28):
            at = at_us(wallet, 2026, month, day, 12)
            charge(wallet, at, "native_text", 4_200 * day, chatbot="shop")
            charge(wallet, at, "video", 14_500)
        put(wallet, at_us(wallet, 2026, month, 28, 13), "hold", spendable=-500, held=500)
        credit(wallet, at_us(wallet, 2026, month, 20), 50_000, f"adj-{month}")
    put(wallet, at_us(wallet, 2026, 2, 21), "cash_refund", spendable=-30_000)
