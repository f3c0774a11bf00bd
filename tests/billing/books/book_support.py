"""Wallets and batches for the tests of the books."""

import itertools
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.utils import timezone

from billing import servers
from billing import wallet as commands
from billing.models import MoneyOrder, Promotion, Wallet
from billing.persistence.entries import AccountBatch
from billing.services import outbox
from billing.services.wallet_settings import settings_of
from billing.wallet import WalletChange
from poolsite.access.models import Account

_COUNT = itertools.count(1)
AT_US = 1_795_000_000_000_000


def make_wallet(slug: str = "", *, spendable: int = 0, **fields: Any) -> Wallet:
    """Make a wallet that exists only in SQL."""
    slug = slug or f"books-{next(_COUNT)}"
    account = Account.objects.create(slug=slug, name=slug)
    return Wallet.objects.create(account=account, spendable=spendable, opening=spendable, **fields)


def change(seq: int, kind: str = "hold", **fields: Any) -> WalletChange:
    """Return a change entry, as a wallet writes it."""
    return WalletChange(**({"seq": seq, "at_us": AT_US + seq, "kind": kind, "id": ""} | fields))


def hold(seq: int, message: str, quoted: int, **fields: Any) -> WalletChange:
    said = {
        "id": message,
        "spendable": -quoted,
        "held": quoted,
        "quoted": quoted,
        "state": "held",
        "message_kind": "message",
    }
    return change(seq, "hold", **(said | fields))


def settle(seq: int, message: str, quoted: int, price: int, **fields: Any) -> WalletChange:
    said = {
        "id": message,
        "spendable": quoted - price,
        "held": -quoted,
        "price": price,
        "state": "settled",
    }
    return change(seq, "settle", **(said | fields))


def recharge(seq: int, operation: str, amount: int, **fields: Any) -> WalletChange:
    return change(seq, "recharge", **({"id": operation, "spendable": amount} | fields))


def batch(
    wallet: Wallet, number: int, changes: Sequence[WalletChange], **fields: Any
) -> AccountBatch:
    said: dict[str, Any] = {
        "wallet_id": wallet.pk,
        "generation": wallet.generation,
        "batch_number": number,
        "first_seq": changes[0].seq,
        "last_seq": changes[-1].seq,
        "amount": sum(one.spendable for one in changes),
        "changes": tuple(changes),
    }
    return AccountBatch(**(said | fields))


# -- with Redis --------------------------------------------------------------------------------

PRICES = {"native_text": 300, "video": 800}
OTHERS = {"yuexin_resolved": 500}


def live_wallet(slug: str = "", *, spendable: int = 10_000, **fields: Any) -> Wallet:
    """Make a wallet in SQL and in Redis, with nothing persisted yet."""
    row = make_wallet(slug, spendable=spendable, opened_at=timezone.now(), **fields)
    run(
        row,
        commands.create(row.slug, row.generation, settings_of(row), balance=row.spendable),
    )
    return row


def run(row: Wallet, command: Any) -> Any:
    """Run a command on the wallet's Redis."""
    return servers.path(row).run(command)


def request(message_id: str, **fields: Any) -> commands.HoldRequest:
    """Return a hold of at most 800."""
    return commands.HoldRequest(message_id, "hash", commands.Quote(PRICES, 7, OTHERS), **fields)


def held(row: Wallet, message_id: str, **fields: Any) -> commands.Charge:
    """Hold 800 for a message."""
    charge: commands.Charge = run(row, commands.hold(row.slug, request(message_id, **fields)))
    return charge


def reported(row: Wallet, message_id: str, mode: str = "native_text") -> Any:
    """Send a final report: delivered by that mode, or failed ("")."""
    return run(
        row, commands.report(row.slug, commands.DeliveryReport(message_id, True, bool(mode), mode))
    )


def moved(row: Wallet, operation_id: str, kind: str, amount: int) -> Any:
    return run(row, commands.move(row.slug, operation_id, kind, amount))


def figures(row: Wallet) -> Any:
    return run(row, commands.balance(row.slug))


def granted(row: Wallet, amount: int, days: float = 30, name: str = "one") -> Promotion:
    """Grant promotional credit as an approved adjustment does."""
    found = Promotion.objects.create(
        wallet=row,
        amount=amount,
        expires_at=timezone.now() + timedelta(days=days),
        reason="spring",
        granted_by="olga",
        operation_id=f"adjust:{name}",
    )
    outbox.order(row, MoneyOrder.Kind.GRANT, amount, found.operation_id)
    return found
