"""Wallets and batches for the tests of the books."""

import itertools
from collections.abc import Sequence
from typing import Any

from billing.models import Wallet
from billing.persistence.entries import AccountBatch, Change, parse
from poolsite.access.models import Account

_COUNT = itertools.count(1)
AT_US = 1_795_000_000_000_000


def make_wallet(slug: str = "", *, spendable: int = 0, **fields: Any) -> Wallet:
    """A wallet that stands in SQL alone."""
    slug = slug or f"books-{next(_COUNT)}"
    account = Account.objects.create(slug=slug, name=slug)
    return Wallet.objects.create(account=account, spendable=spendable, opening=spendable, **fields)


def change(seq: int, kind: str = "hold", **fields: Any) -> Change:
    """A change entry, as the stream tells it: fields by their names there."""
    words = {"at": str(AT_US + seq), "k": kind, **{k: str(v) for k, v in fields.items()}}
    return parse(seq, words)


def hold(seq: int, message: str, quoted: int, **fields: Any) -> Change:
    said = {
        "id": message,
        "amt": -quoted,
        "hld": quoted,
        "q": quoted,
        "st": "held",
        "kd": "message",
    }
    return change(seq, "hold", **(said | fields))


def settle(seq: int, message: str, quoted: int, price: int, **fields: Any) -> Change:
    said = {"id": message, "amt": quoted - price, "hld": -quoted, "p": price, "st": "settled"}
    return change(seq, "settle", **(said | fields))


def recharge(seq: int, operation: str, amount: int, **fields: Any) -> Change:
    return change(seq, "recharge", **({"id": operation, "amt": amount} | fields))


def batch(wallet: Wallet, number: int, changes: Sequence[Change], **fields: Any) -> AccountBatch:
    said: dict[str, Any] = {
        "wallet_id": wallet.pk,
        "generation": wallet.generation,
        "batch_number": number,
        "first_seq": changes[0].seq,
        "last_seq": changes[-1].seq,
        "amount": sum(one.amount for one in changes),
        "changes": tuple(changes),
    }
    return AccountBatch(**(said | fields))
