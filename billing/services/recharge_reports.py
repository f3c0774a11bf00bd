"""Top-ups as the provider settles them: credited once, taken back, given back.

Every statement of a provider comes here as a Report. The row is locked, the report compared with
what was asked for, and only the transition to confirmed makes the one order to Redis.
"""

from typing import Any

from django.db import transaction
from django.utils import timezone
from payments import PaymentStatus

from billing import money, webhook_events
from billing.models import PaymentMethod, Recharge, Wallet
from billing.recharging.reports import Answer, Report, Said
from billing.services import outbox, provider_trouble
from poolsite import access, live


def reported(report: Report) -> Answer:
    """Take one report; the only place where a top-up's status and money change.

    Atomic, under the row's lock: twice, late, out of order, wrong or unknown reports are answered
    and leave the books as they are. What was credited wrongly cannot be: the amount is compared.
    """
    with transaction.atomic():
        recharge = _found(report)
        if recharge is None:
            return Answer.UNKNOWN
        answer = _HANDLERS[report.said](recharge, report)
        if answer not in (Answer.REPEAT, Answer.NOTED):
            _note(recharge, report, answer)
        return answer


def _found(report: Report) -> Recharge | None:
    rows = Recharge.objects.select_for_update(of=("self",)).select_related("wallet__account")
    rows = rows.filter(variant=report.variant)
    if report.token:
        return rows.filter(token=report.token).first()
    return rows.filter(provider_payment=report.payment).first() if report.payment else None


def _paid(recharge: Recharge, report: Report) -> Answer:
    if recharge.credited_at is not None:
        if report.method is not None:
            _keep(recharge, report)
        reversed_now = recharge.status == PaymentStatus.REFUNDED
        return Answer.REVERSED_ALREADY if reversed_now else Answer.REPEAT
    if not report.reference or recharge.transaction_id not in ("", report.reference):
        provider_trouble.open_incident(recharge, report, "reference")
        return Answer.WRONG_REFERENCE
    if (report.amount, report.currency) != (recharge.amount, recharge.currency):
        _set(recharge, status=PaymentStatus.ERROR, message=_mismatch(recharge, report))
        provider_trouble.open_incident(recharge, report, "amount")
        return Answer.WRONG_AMOUNT
    taken = Recharge.objects.filter(variant=recharge.variant, transaction_id=report.reference)
    if taken.exclude(pk=recharge.pk).exists():
        provider_trouble.open_incident(recharge, report, "reference")
        return Answer.WRONG_REFERENCE
    _credit(recharge, report)
    return Answer.CREDITED


def _credit(recharge: Recharge, report: Report) -> None:
    _set(
        recharge,
        status=PaymentStatus.CONFIRMED,
        message="",
        transaction_id=report.reference,
        provider_payment=report.payment or recharge.provider_payment,
        captured_amount=recharge.total,
        credited_at=timezone.now(),
    )
    outbox.order(
        recharge.wallet,
        "recharge",
        recharge.amount,
        recharge.operation_id,
        f"{recharge.variant}:{report.reference}"[:120],
    )
    if report.method is not None:
        _keep(recharge, report)
    provider_trouble.close_incident(recharge)
    webhook_events.top_up("top_up.credited", recharge)


def _mismatch(recharge: Recharge, report: Report) -> str:
    return (
        f"paid {money.plain(report.amount)} {report.currency}, "
        f"asked for {money.plain(recharge.amount)} {recharge.currency}"
    )


def _opened(recharge: Recharge, report: Report) -> Answer:
    if recharge.status == PaymentStatus.WAITING:
        _set(recharge, status=PaymentStatus.INPUT)
    return Answer.NOTED


def _ended(recharge: Recharge, report: Report) -> Answer:
    """It failed or was given up; what was paid before stays paid."""
    if recharge.credited_at is not None:
        return Answer.TOO_LATE
    if report.reference and recharge.transaction_id not in ("", report.reference):
        return Answer.WRONG_REFERENCE
    failed = report.said is Said.FAILED
    status = PaymentStatus.REJECTED if failed else PaymentStatus.CANCELLED
    if recharge.status == status:
        return Answer.REPEAT
    _set(recharge, status=status, message=report.message[:200])
    webhook_events.top_up("top_up.failed", recharge)
    return Answer.NOT_CREDITED


def _refunded(recharge: Recharge, report: Report) -> Answer:
    """`amount` is the sum of its refunds so far: older and repeated reports bring nothing new.

    The money is gone already: as with a charge-back, what the balance lacks is owed.
    """
    refunds = min(report.amount, recharge.amount)
    return _take_back(recharge, report, "chargeback", refunds, f"refund:{report.reference}")


def _withdrawn(recharge: Recharge, report: Report) -> Answer:
    operation = f"dispute:{report.reference}"
    if _was_ordered(recharge.wallet, operation):
        return Answer.REPEAT
    return _move(recharge, report, "chargeback", report.amount, operation)


def _take_back(recharge: Recharge, report: Report, kind: str, total: int, prefix: str) -> Answer:
    already = sum(
        recharge.wallet.orders.filter(operation_id__startswith=f"{prefix}:").values_list(
            "amount", flat=True
        )
    )
    if total <= already:
        return Answer.REPEAT
    return _move(recharge, report, kind, total - already, f"{prefix}:{total}")


def _move(recharge: Recharge, report: Report, kind: str, amount: int, operation: str) -> Answer:
    if recharge.credited_at is None:
        return Answer.NOT_CREDITED if recharge.status == PaymentStatus.ERROR else Answer.TOO_EARLY
    if report.currency != recharge.currency or amount <= 0:
        provider_trouble.open_incident(recharge, report, "amount")
        return Answer.WRONG_AMOUNT
    outbox.order(recharge.wallet, kind, amount, operation[:80], recharge.number)
    reversed_now = recharge.reversed + amount
    status = PaymentStatus.REFUNDED if reversed_now >= recharge.amount else recharge.status
    _set(recharge, reversed=reversed_now, status=status, message=report.message[:200])
    return Answer.TAKEN_BACK


def _reinstated(recharge: Recharge, report: Report) -> Answer:
    """A won charge-back gives back what that very charge-back took."""
    operation = f"reinstated:{report.reference}"[:80]
    if _was_ordered(recharge.wallet, operation):
        return Answer.REPEAT
    taken = recharge.wallet.orders.filter(operation_id=f"dispute:{report.reference}"[:80]).first()
    if taken is None:
        return Answer.TOO_EARLY
    if (report.amount, report.currency) != (taken.amount, recharge.currency):
        provider_trouble.open_incident(recharge, report, "amount")
        return Answer.WRONG_AMOUNT
    outbox.order(recharge.wallet, "credit", taken.amount, operation, recharge.number)
    _set(
        recharge,
        reversed=max(0, recharge.reversed - taken.amount),
        status=PaymentStatus.CONFIRMED,
        message="",
    )
    return Answer.REINSTATED


def _kept(recharge: Recharge, report: Report) -> Answer:
    if recharge.provider_payment == "" and report.payment:
        _set(recharge, provider_payment=report.payment)
    if report.method is None or not recharge.keep_method:
        return Answer.NOTED
    _keep(recharge, report)
    return Answer.NOTED


def _keep(recharge: Recharge, report: Report) -> None:
    """Keep the card that its payer asked to keep; an older one of the account gives way."""
    method = report.method
    if method is None or not recharge.keep_method:
        return
    kept, made = PaymentMethod.objects.get_or_create(
        wallet=recharge.wallet,
        variant=recharge.variant,
        reference=method.reference,
        defaults={
            "customer": method.customer,
            "label": method.label,
            "added_by": recharge.requested_by,
        },
    )
    if made:
        older = PaymentMethod.objects.filter(wallet=recharge.wallet, removed_at=None)
        older.exclude(pk=kept.pk).update(removed_at=timezone.now())
        access.audit(
            actor=f"billing.{recharge.variant}",
            action="billing.method_keep",
            thing=recharge.wallet,
            after={"method": method.label, "provider": recharge.variant},
        )


_HANDLERS = {
    Said.PAID: _paid,
    Said.OPENED: _opened,
    Said.FAILED: _ended,
    Said.CANCELLED: _ended,
    Said.REFUNDED: _refunded,
    Said.WITHDRAWN: _withdrawn,
    Said.REINSTATED: _reinstated,
    Said.KEPT: _kept,
}


def _was_ordered(wallet: Wallet, operation_id: str) -> bool:
    """Whether this operation was ordered before."""
    return wallet.orders.filter(operation_id=operation_id[:80]).exists()


def _set(recharge: Recharge, **values: Any) -> None:
    """Write the columns that services alone write."""
    Recharge.objects.filter(pk=recharge.pk).update(modified=timezone.now(), **values)
    for name, value in values.items():
        setattr(recharge, name, value)


def _note(recharge: Recharge, report: Report, answer: Answer) -> None:
    """The audit log's entry, and whoever looks at the receipt reads it again."""
    access.audit(
        actor=f"billing.{report.variant}",
        action="billing.recharge_report",
        thing=recharge.wallet,
        after={
            "recharge": recharge.pk,
            "said": report.said.value,
            "answer": answer.value,
            "amount": report.amount,
            "reference": report.reference,
        },
        reason=report.message[:200],
    )
    live.touch(f"billing.recharge:{recharge.pk}")
