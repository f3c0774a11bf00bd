"""Promotional credit according to the books: of an account, of its messages, over a time."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet, Sum
from django.utils import timezone

from billing import wallet as commands
from billing.models import JournalEntry, Promotion, PromotionMove, Wallet
from billing.persistence.entries import PROMOTION_KINDS
from poolsite.moments import us_of

_GRANTED: Final = Exists(PromotionMove.objects.filter(promotion=OuterRef("pk"), kind="grant"))
STATES: Final = ("waiting", "active", "used", "expired", "revoked")


def promotions_in(wallet: Wallet) -> QuerySet[Promotion]:
    """Return the account's promotions, newest first."""
    return Promotion.objects.filter(wallet=wallet).select_related("wallet__account").order_by("-pk")


def with_granted(rows: QuerySet[Promotion]) -> QuerySet[Promotion]:
    """Annotate `is_granted`: whether the books have the entry that granted the promotion."""
    return rows.annotate(is_granted=_GRANTED)


def state_of(promotion: Promotion, now: datetime | None = None) -> str:
    """Return the promotion's state, one of STATES; the row comes from `with_granted`."""
    if promotion.revoked_at is not None:
        return "revoked"
    if not getattr(promotion, "is_granted", True):
        return "waiting"
    if promotion.expires_at < (now or timezone.now()):
        return "expired"
    return "active" if promotion.remaining else "used"


def active_count(wallet: Wallet) -> int:
    """Count the promotions that may be in the wallet now or soon."""
    rows = promotions_in(wallet).filter(expires_at__gt=timezone.now(), revoked_at=None)
    return rows.count()


def grants_of(wallet: Wallet) -> list[commands.Grant]:
    """Return the promotions of a rebuilt wallet, with their rest according to the books."""
    revoked = set(
        JournalEntry.objects.filter(wallet=wallet, kind="revoke").values_list(
            "operation_id", flat=True
        )
    )
    open_ones = Q(expires_at__gt=timezone.now()) | Q(remaining__gt=0)
    rows = promotions_in(wallet).filter(open_ones, _GRANTED)
    return [
        commands.Grant(each.pk, us_of(each.expires_at), each.remaining)
        for each in rows
        if each.revoke_id not in revoked
    ]


def promotions_of(wallet: Wallet, message_ids: Sequence[str]) -> dict[str, str]:
    """Return the promotions that hold or have paid these messages, in the form of their records."""
    found: dict[str, list[tuple[int, int]]] = {}
    for message_id, promotion_id, units in _taken(wallet, message_ids):
        found.setdefault(message_id, []).append((promotion_id, units))
    return {message_id: commands.parts_text(parts) for message_id, parts in found.items()}


def paid_by_promotions(wallet: Wallet, message_id: str) -> int:
    """Return the promotional part of a message's hold or charge."""
    return sum(units for _, _, units in _taken(wallet, [message_id]))


def _taken(wallet: Wallet, message_ids: Sequence[str]) -> list[tuple[str, int, int]]:
    rows = PromotionMove.objects.filter(wallet=wallet, operation_id__in=message_ids)
    sums = (
        rows.exclude(kind__in=PROMOTION_KINDS)
        .order_by("promotion__expires_at", "promotion_id")
        .values_list("operation_id", "promotion_id")
        .annotate(units=Sum("amount"))
    )
    return [(message, promotion, -units) for message, promotion, units in sums if units]


def used_between(wallet: Wallet, since: datetime, until: datetime) -> int:
    """Return the promotional credit that messages and debits used in that time, less returns."""
    rows = PromotionMove.objects.filter(wallet=wallet, at__gte=since, at__lt=until)
    found = rows.exclude(kind__in=PROMOTION_KINDS).aggregate(units=Sum("amount"))
    return -int(found["units"] or 0)


def own_balance(wallet: Wallet) -> int:
    """Return what can be paid out of the booked balance: not promotional, never below zero."""
    found = Promotion.objects.filter(wallet=wallet).aggregate(units=Sum("remaining"))
    return max(0, wallet.spendable - int(found["units"] or 0))
