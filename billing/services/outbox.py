"""The only way in which SQL moves a wallet's money: an order, applied once by its operation ID.

The order is a row of the caller's transaction. It is applied right after the commit. If Redis was
away or refused to write (no memory, no disk), the relay repeats it until Redis takes it. An order
counts as applied once Redis acknowledged it, in the generation of the wallet's data that SQL knows.
Orders of a lost generation that never reached the journal are opened again (`reopen_lost`).
"""

import logging
from collections.abc import Iterable, Sequence
from datetime import timedelta
from functools import partial

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from redis.exceptions import RedisError

from billing import servers, wallet
from billing.models import JournalEntry, MoneyOrder, Promotion, Wallet
from billing.persistence.entries import MONEY_KINDS
from poolsite import hotpath
from poolsite.moments import us_of
from poolsite.runtime.crash_points import crash_point

logger = logging.getLogger(__name__)

RELAY_AT_ONCE = 200
YOUNG_SECONDS = 2  # the process that committed it is about to apply it


class OutboxConflictError(Exception):
    """The operation ID exists with another kind or amount."""


def order(
    wallet_row: Wallet, kind: str, amount: int, operation_id: str, reference: str = ""
) -> MoneyOrder:
    """Record an order inside the caller's transaction; it is applied after the commit, once.

    The same operation ID returns the same order. Raise MoneyError if the amount is not above zero,
    ValueError for no operation ID or an unknown kind, and OutboxConflictError if the ID was used
    for another order.
    """
    with transaction.atomic():
        # Refuse orders that could never be applied.
        _command(wallet_row, kind, amount, operation_id)
        found, _made = MoneyOrder.objects.get_or_create(
            wallet=wallet_row,
            operation_id=operation_id,
            defaults={"kind": kind, "amount": amount, "reference": reference[:120]},
        )
        if (found.kind, found.amount) != (kind, amount):
            raise OutboxConflictError(f"{operation_id} is {found.kind} of {found.amount}")
        if found.applied_at is None:
            transaction.on_commit(partial(_apply_quietly, found.pk))
    return found


def _command(
    wallet_row: Wallet, kind: str, amount: int, operation_id: str
) -> hotpath.Command[wallet.Movement]:
    """Return the command that applies an order.

    Raise Promotion.DoesNotExist for a grant whose row was not written.
    """
    slug = wallet_row.slug
    if kind == MoneyOrder.Kind.GRANT:
        found = Promotion.objects.get(wallet=wallet_row, operation_id=operation_id)
        return wallet.grant(slug, operation_id, found.pk, amount, us_of(found.expires_at))
    if kind == MoneyOrder.Kind.REVOKE:
        promotion_id = int(operation_id.partition(":")[2])
        return wallet.revoke(slug, operation_id, promotion_id, amount)
    return wallet.move(slug, operation_id, kind, amount)


def _apply_quietly(order_pk: int) -> None:
    """Apply an order, and log any error: the commit is done, and the relay continues with it."""
    crash_point("billing.order_committed")
    try:
        apply_orders([order_pk])
    except Exception:
        logger.exception("billing: order %s waits for the relay", order_pk)


def apply_orders(keys: Sequence[int]) -> int:
    """Apply waiting orders; return how many are applied now. It raises no Redis errors."""
    waiting = _waiting().filter(pk__in=keys).order_by("pk")
    orders = list(waiting.select_related("wallet__account"))
    in_books = _in_books(orders)
    applied = 0
    by_server: dict[str, list[MoneyOrder]] = {}
    for each in orders:
        if each.pk in in_books:
            applied += _mark(each, each.wallet.generation, "in the journal")
        else:
            by_server.setdefault(each.wallet.redis, []).append(each)
    for server, its in by_server.items():
        applied += _apply_on(server, its)
    return applied


def _waiting() -> QuerySet[MoneyOrder]:
    """Return the orders to be applied: neither applied nor cancelled."""
    return MoneyOrder.objects.filter(applied_at=None, cancelled_at=None)


def _in_books(orders: Iterable[MoneyOrder]) -> set[int]:
    """Return the orders that the journal has: applied before, but the reply was lost."""
    tried = [each.pk for each in orders if each.attempts]
    return set(
        MoneyOrder.objects.filter(pk__in=tried).filter(_journal_row()).values_list("pk", flat=True)
    )


def _journal_row() -> Exists:
    rows = JournalEntry.objects.filter(
        wallet_id=OuterRef("wallet_id"),
        operation_id=OuterRef("operation_id"),
        kind__in=MONEY_KINDS,
    )
    return Exists(rows)


def _apply_on(server: str, orders: Sequence[MoneyOrder]) -> int:
    keys = [each.pk for each in orders]
    # Count before the command: if the process dies in it, the journal must be searched.
    # unaudited: the outbox's own counter
    MoneyOrder.objects.filter(pk__in=keys).update(attempts=F("attempts") + 1)
    crash_point("billing.order_before_redis")
    try:
        answers = servers.named(server).run_batch(
            [_command(each.wallet, each.kind, each.amount, each.operation_id) for each in orders]
        )
    except (servers.UnknownServerError, RedisError, OSError) as error:
        return _waits(orders, str(error))
    crash_point("billing.order_after_redis")
    applied = 0
    for each, answer in zip(orders, answers, strict=True):
        if isinstance(answer, hotpath.HotPathError):
            _waits([each], str(answer))
        elif answer.applied:
            applied += _mark(each, each.wallet.generation, answer.answer)
        else:
            _waits([each], answer.answer)
    return applied


def _waits(orders: Sequence[MoneyOrder], why: str) -> int:
    keys = [each.pk for each in orders]
    # unaudited: the outbox's own note
    MoneyOrder.objects.filter(pk__in=keys, applied_at=None).update(answer=why[:200])
    return 0


def _mark(each: MoneyOrder, generation: int, answer: str) -> int:
    """Mark an order as applied, unless the wallet's data has a new generation by now."""
    with transaction.atomic():
        row = Wallet.objects.select_for_update().values_list("generation").get(pk=each.wallet_id)
        if row[0] != generation:
            return 0
        # unaudited: its service wrote the entry when it was ordered
        return MoneyOrder.objects.filter(pk=each.pk, applied_at=None).update(
            applied_at=timezone.now(), answer=answer[:200]
        )


def relay() -> dict[str, int]:
    """Apply waiting orders, the oldest first; one bounded run."""
    old = timezone.now() - timedelta(seconds=YOUNG_SECONDS)
    # Orders that no run can apply (a refund beyond the balance, a lost server) go to the end.
    waiting = _waiting().filter(created_at__lt=old).order_by("attempts", "created_at")
    keys = list(waiting.values_list("pk", flat=True)[:RELAY_AT_ONCE])
    return {"waiting": len(keys), "applied": apply_orders(keys) if keys else 0}


def apply_waiting(wallet_row: Wallet) -> int:
    """Apply one wallet's waiting orders, the oldest first; return how many are applied now."""
    keys = _waiting().filter(wallet=wallet_row).order_by("created_at")
    return apply_orders(list(keys.values_list("pk", flat=True)))


def give_up(wallet_row: Wallet, operation_id: str) -> bool:
    """Cancel an order that Redis has not applied, for good; return False if it is applied.

    Call this inside the caller's transaction: the row stays locked until its end. The wallet's own
    receipt refuses the order first, so a relay that is under way with it moves nothing. Raise
    ValidationError if Redis does not take that, in which case nothing was cancelled, or
    MoneyOrder.DoesNotExist.
    """
    rows = MoneyOrder.objects.select_for_update(of=("self",))
    found = rows.get(wallet=wallet_row, operation_id=operation_id)
    if found.cancelled_at is not None:
        return True
    if found.applied_at is not None or _in_books([found]):
        return False
    refuse = wallet.refuse(wallet_row.slug, operation_id, found.kind, found.amount)
    try:
        said = servers.path(wallet_row).run(refuse)
    except (hotpath.HotPathError, RedisError, OSError) as error:
        text = _("The balance can't be read right now. Nothing was changed.")
        raise ValidationError(text) from error
    crash_point("billing.order_refused")
    if said != wallet.reasons.CANCELLED:
        return False
    found.cancelled_at, found.answer = timezone.now(), said
    found.save(update_fields=["cancelled_at", "answer"])
    return True


def reopen_lost(wallet_row: Wallet) -> int:
    """Reopen orders applied in a lost generation that the journal lacks; return how many.

    Call this inside the transaction that gives the wallet its new generation, so that no reply of
    the old generation can be recorded afterwards.
    """
    lost = MoneyOrder.objects.filter(wallet=wallet_row).exclude(applied_at=None)
    keys = list(lost.exclude(_journal_row()).values_list("pk", flat=True))
    # unaudited: the rebuild that does this is audited
    return MoneyOrder.objects.filter(pk__in=keys).update(applied_at=None, answer="lost with Redis")
