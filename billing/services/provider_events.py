"""A provider's verified events: each is taken in one transaction, with a record of its result."""

from django.db import transaction
from django.db.models import F

from billing.models import ProviderEvent, Recharge
from billing.recharging.reports import ProviderReport, ReportResult
from billing.services.recharge_reports import reported


def event_take(
    variant: str, event_id: str, kind: str, report: ProviderReport | None
) -> ReportResult:
    """Take one event; the same ID may come any number of times, and each time is counted.

    `report` is None for an event whose type is not used.
    """
    with transaction.atomic():
        answer = ReportResult.IGNORED if report is None else reported(report)
        row, made = ProviderEvent.objects.get_or_create(
            variant=variant,
            event_id=event_id[:120],
            defaults={
                "kind": kind[:80],
                "answer": answer.value,
                "recharge": _recharge(report) if answer is not ReportResult.UNKNOWN else None,
            },
        )
        if not made:
            seen = ProviderEvent.objects.filter(pk=row.pk)
            seen.update(times=F("times") + 1)
            if answer not in (ReportResult.REPEAT, ReportResult.REVERSED_ALREADY):
                seen.update(answer=answer.value, recharge=_recharge(report))
    return answer


def _recharge(report: ProviderReport | None) -> Recharge | None:
    if report is None:
        return None
    rows = Recharge.objects.filter(variant=report.variant)
    if report.token:
        return rows.filter(token=report.token).first()
    return rows.filter(provider_payment=report.payment).first() if report.payment else None
