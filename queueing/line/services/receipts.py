"""Read receipts: up to which message each side has read."""

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from poolsite import live
from queueing.line.models import Message, ReadReceipt, Visit


def messages_read(*, visit: Visit, side: str, number: int) -> bool:
    """Record that a side has read its messages up to `number`. Return whether that was new.

    A number beyond the last message counts as the last one. A lower or repeated number changes and
    announces nothing, so a visit costs at most one write per message and side.
    """
    with transaction.atomic():
        known = ReadReceipt.objects.filter(visit=visit, side=side)
        if known.filter(number__gte=number).exists():
            return False
        last = Message.objects.filter(visit=visit).aggregate(last=Max("number"))["last"] or 0
        reached = min(number, last)
        if reached < 1:
            return False
        now = timezone.now()
        _, is_new = ReadReceipt.objects.get_or_create(
            visit=visit, side=side, defaults={"number": reached, "at": now}
        )
        moved = is_new or known.filter(number__lt=reached).update(number=reached, at=now) > 0
        if moved:
            live.touch(f"line.room:{visit.public_id}")
    return moved
