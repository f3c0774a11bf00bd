"""Adjustments as their list shows them, and the effect of an adjustment on a balance."""

from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from billing.models import Adjustment, MoneyOrder

Kind = MoneyOrder.Kind
ALL = "all"


def adjustment_rows(show: str = ALL, kind: str = "", search: str = "") -> QuerySet[Adjustment]:
    """Return the operators' list; the caller has checked the right to all accounts."""
    rows = _found(kind, search).select_related("wallet__account", "asked_by", "decided_by")
    return rows if show == ALL else rows.filter(status=show)


def adjustment_counts(kind: str = "", search: str = "") -> dict[str, int]:
    """Return the number of adjustments of each status and in all.

    They are few enough to count, as people made each of them.
    """
    rows = _found(kind, search).order_by().values_list("status").annotate(Count("pk"))
    found = dict(rows)
    return {**found, ALL: sum(found.values())}


def _found(kind: str, search: str) -> QuerySet[Adjustment]:
    rows = Adjustment.objects.order_by("-pk")
    if kind:
        rows = rows.filter(kind=kind)
    if search:
        account = Q(wallet__account__slug__startswith=search.lower())
        rows = rows.filter(account | Q(wallet__account__name__istartswith=search))
    return rows


@dataclass(frozen=True, slots=True)
class Effect:
    """The balance and the amount owed after an adjustment, in units.

    `refused`: the adjustment would not be paid out.
    """

    balance: int
    owed: int
    refused: bool = False


def effect(
    kind: str, amount: int, balance: int, owed: int, credit_limit: int = 0, promotional: int = 0
) -> Effect:
    """Return the effect of an adjustment on these figures, as billing/lua/move.lua computes it."""
    if kind == Adjustment.CREDIT_LIMIT:
        return Effect(balance, owed)
    if kind == Kind.CREDIT:
        paid = min(owed, amount)
        return Effect(balance + amount - paid, owed - paid)
    if kind == Kind.GRANT:
        return Effect(balance + amount, owed)
    if kind == Kind.CASH_REFUND and amount > balance - promotional:
        return Effect(balance, owed, refused=True)
    taken = max(0, min(balance + credit_limit, amount))
    return Effect(balance - taken, owed + amount - taken)
