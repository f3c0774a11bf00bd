"""Top-ups as the provider settles them: credited once, taken back, reinstated.

Every report of a provider comes here as a ProviderReport. The row is locked and the report is
compared with what was requested. Only the transition to confirmed makes the one order to Redis.
"""

from typing import Any

from django.db import transaction
from django.utils import timezone
from payments import PaymentStatus

from billing import money, webhook_events
from billing.models import PaymentMethod, Recharge, Wallet
from billing.recharging.reports import PaymentEvent, ProviderReport, ReportResult
from billing.services import outbox, provider_trouble
from poolsite import access, live


def reported(report: ProviderReport) -> ReportResult:
    """Take one report; this is the only place where a top-up's status and money change.

    It is atomic, under the row's lock. Repeated, late, out-of-order, wrong or unknown reports get
    an answer and leave the books unchanged. A wrong amount cannot be credited: it is compared.
    """
    with transaction.atomic():
        recharge = _found(report)
        if recharge is None:
            return ReportResult.UNKNOWN
        answer = _HANDLERS[report.said](recharge, report)
        if answer not in (ReportResult.REPEAT, ReportResult.NOTED):
            _note(recharge, report, answer)
        return answer


def _found(report: ProviderReport) -> Recharge | None:
    rows = Recharge.objects.select_for_update(of=("self",)).select_related("wallet__account")
    rows = rows.filter(variant=report.variant)
    if report.token:
        return rows.filter(token=report.token).first()
    return rows.filter(provider_payment=report.payment).first() if report.payment else None


def _paid(recharge: Recharge, report: ProviderReport) -> ReportResult:
    if recharge.credited_at is not None:
        if report.method is not None:
            _keep(recharge, report)
        reversed_now = recharge.status == PaymentStatus.REFUNDED
        return ReportResult.REVERSED_ALREADY if reversed_now else ReportResult.REPEAT
    if not report.reference or recharge.transaction_id not in ("", report.reference):
        provider_trouble.open_incident(recharge, report, "reference")
        return ReportResult.WRONG_REFERENCE
    if (report.amount, report.currency) != (recharge.amount, recharge.currency):
        _set(recharge, status=PaymentStatus.ERROR, message=_mismatch(recharge, report))
        provider_trouble.open_incident(recharge, report, "amount")
        return ReportResult.WRONG_AMOUNT
    taken = Recharge.objects.filter(variant=recharge.variant, transaction_id=report.reference)
    if taken.exclude(pk=recharge.pk).exists():
        provider_trouble.open_incident(recharge, report, "reference")
        return ReportResult.WRONG_REFERENCE
    _credit(recharge, report)
    return ReportResult.CREDITED


def _credit(recharge: Recharge, report: ProviderReport) -> None:
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


def _mismatch(recharge: Recharge, report: ProviderReport) -> str:
    return (
        f"paid {money.plain(report.amount)} {report.currency}, "
        f"asked for {money.plain(recharge.amount)} {recharge.currency}"
    )


def _opened(recharge: Recharge, report: ProviderReport) -> ReportResult:
    if recharge.status == PaymentStatus.WAITING:
        _set(recharge, status=PaymentStatus.INPUT)
    return ReportResult.NOTED


def _ended(recharge: Recharge, report: ProviderReport) -> ReportResult:
    """End a top-up that failed or was cancelled; one that was paid before stays paid."""
    if recharge.credited_at is not None:
        return ReportResult.TOO_LATE
    if report.reference and recharge.transaction_id not in ("", report.reference):
        return ReportResult.WRONG_REFERENCE
    failed = report.said is PaymentEvent.FAILED
    status = PaymentStatus.REJECTED if failed else PaymentStatus.CANCELLED
    if recharge.status == status:
        return ReportResult.REPEAT
    _set(recharge, status=status, message=report.message[:200])
    webhook_events.top_up("top_up.failed", recharge)
    return ReportResult.NOT_CREDITED


def _refunded(recharge: Recharge, report: ProviderReport) -> ReportResult:
    """Take back refunds. `amount` is the sum of all refunds so far, so repeats change nothing.

    The money is gone already: as with a chargeback, what the balance does not cover is owed.
    """
    refunds = min(report.amount, recharge.amount)
    return _take_back(recharge, report, "chargeback", refunds, f"refund:{report.reference}")


def _withdrawn(recharge: Recharge, report: ProviderReport) -> ReportResult:
    operation = f"dispute:{report.reference}"
    if _was_ordered(recharge.wallet, operation):
        return ReportResult.REPEAT
    return _move(recharge, report, "chargeback", report.amount, operation)


def _take_back(
    recharge: Recharge, report: ProviderReport, kind: str, total: int, prefix: str
) -> ReportResult:
    already = sum(
        recharge.wallet.orders.filter(operation_id__startswith=f"{prefix}:").values_list(
            "amount", flat=True
        )
    )
    if total <= already:
        return ReportResult.REPEAT
    return _move(recharge, report, kind, total - already, f"{prefix}:{total}")


def _move(
    recharge: Recharge, report: ProviderReport, kind: str, amount: int, operation: str
) -> ReportResult:
    if recharge.credited_at is None:
        return (
            ReportResult.NOT_CREDITED
            if recharge.status == PaymentStatus.ERROR
            else ReportResult.TOO_EARLY
        )
    if report.currency != recharge.currency or amount <= 0:
        provider_trouble.open_incident(recharge, report, "amount")
        return ReportResult.WRONG_AMOUNT
    outbox.order(recharge.wallet, kind, amount, operation[:80], recharge.number)
    reversed_now = recharge.reversed + amount
    status = PaymentStatus.REFUNDED if reversed_now >= recharge.amount else recharge.status
    _set(recharge, reversed=reversed_now, status=status, message=report.message[:200])
    return ReportResult.TAKEN_BACK


def _reinstated(recharge: Recharge, report: ProviderReport) -> ReportResult:
    """Return to the balance what a chargeback took, after it was won."""
    operation = f"reinstated:{report.reference}"[:80]
    if _was_ordered(recharge.wallet, operation):
        return ReportResult.REPEAT
    taken = recharge.wallet.orders.filter(operation_id=f"dispute:{report.reference}"[:80]).first()
    if taken is None:
        return ReportResult.TOO_EARLY
    if (report.amount, report.currency) != (taken.amount, recharge.currency):
        provider_trouble.open_incident(recharge, report, "amount")
        return ReportResult.WRONG_AMOUNT
    outbox.order(recharge.wallet, "credit", taken.amount, operation, recharge.number)
    _set(
        recharge,
        reversed=max(0, recharge.reversed - taken.amount),
        status=PaymentStatus.CONFIRMED,
        message="",
    )
    return ReportResult.REINSTATED


def _kept(recharge: Recharge, report: ProviderReport) -> ReportResult:
    if recharge.provider_payment == "" and report.payment:
        _set(recharge, provider_payment=report.payment)
    if report.method is None or not recharge.keep_method:
        return ReportResult.NOTED
    _keep(recharge, report)
    return ReportResult.NOTED


def _keep(recharge: Recharge, report: ProviderReport) -> None:
    """Store the card that the payer asked to save; it replaces an older one of the account."""
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
    PaymentEvent.PAID: _paid,
    PaymentEvent.OPENED: _opened,
    PaymentEvent.FAILED: _ended,
    PaymentEvent.CANCELLED: _ended,
    PaymentEvent.REFUNDED: _refunded,
    PaymentEvent.WITHDRAWN: _withdrawn,
    PaymentEvent.REINSTATED: _reinstated,
    PaymentEvent.KEPT: _kept,
}


def _was_ordered(wallet: Wallet, operation_id: str) -> bool:
    """Whether this operation was ordered before."""
    return wallet.orders.filter(operation_id=operation_id[:80]).exists()


def _set(recharge: Recharge, **values: Any) -> None:
    """Write the columns that only services write."""
    Recharge.objects.filter(pk=recharge.pk).update(modified=timezone.now(), **values)
    for name, value in values.items():
        setattr(recharge, name, value)


def _note(recharge: Recharge, report: ProviderReport, answer: ReportResult) -> None:
    """Write the audit entry, and notify the pages that show the receipt."""
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
