"""Idempotency keys: claimed by the first request, stored with its response, deleted after a day.

Unaudited: the keys do not show what a request did. Its own service audits that.
"""

from datetime import timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from poolsite.access.models import IdempotentRequest

KEEP = timedelta(hours=24)
FORGET_ROWS = 2_000
FORGET_BATCHES = 50


def key_claim(*, credential: str, key: str, fingerprint: str) -> tuple[IdempotentRequest, bool]:
    """Return the request that has this key, and whether the caller is the first with the key."""
    asked = {"credential": credential, "key": key}
    while True:
        try:
            with transaction.atomic():
                return IdempotentRequest.objects.create(**asked, fingerprint=fingerprint), True
        except IntegrityError:
            found = IdempotentRequest.objects.filter(**asked).first()
            if found is not None:  # else it was released in between
                return found, False


def key_answered(
    *, request: IdempotentRequest, status: int, content_type: str, answer: bytes | None
) -> None:
    """Store the response of a request, or None if the response must not be stored."""
    IdempotentRequest.objects.filter(pk=request.pk).update(
        status=status, content_type=content_type[:100], answer=answer
    )


def key_release(*, request: IdempotentRequest) -> None:
    """Delete a request that changed nothing, so that a repeat runs."""
    IdempotentRequest.objects.filter(pk=request.pk).delete()


def forget_keys() -> int:
    """Delete keys older than a day, a bounded number; return how many."""
    old = IdempotentRequest.objects.filter(created_at__lt=timezone.now() - KEEP)
    forgotten = 0
    for _ in range(FORGET_BATCHES):
        keys = list(old.order_by("created_at").values_list("pk", flat=True)[:FORGET_ROWS])
        forgotten += IdempotentRequest.objects.filter(pk__in=keys).delete()[0] if keys else 0
        if len(keys) < FORGET_ROWS:
            break
    return forgotten
