"""Manual changes of a balance by operators: with a reason, and above a limit with four eyes."""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Sum
from django.utils import timezone
from django.utils.translation import gettext as _
from redis.exceptions import RedisError

from billing import money, servers
from billing import wallet as commands
from billing.models import (
    Adjustment,
    FlaggedReport,
    MoneyOrder,
    Recharge,
    RefundRequest,
    Wallet,
)
from billing.services import outbox, promotions
from billing.services.acting import clean_amount, clean_line, locked, person, wrong_state
from billing.services.wallets import credit_limit_write
from poolsite import access, hotpath, live
from poolsite.access import four_eyes
from poolsite.access.models import User
from poolsite.access.services.actor import Actor, name_of, require

Kind = MoneyOrder.Kind
# What a form may request; a charge by hand belongs to a flagged report.
BY_FORM: Final = (Kind.CREDIT, Kind.DEBIT, Kind.CASH_REFUND, Kind.CHARGEBACK)
TOPIC = "billing.adjustments:all"


def adjustment_ask(
    wallet: Wallet,
    *,
    actor: Actor,
    kind: str,
    amount: int,
    reason: str,
    token: UUID,
    reference: str = "",
    recharge: Recharge | None = None,
    flagged_report: FlaggedReport | None = None,
    expires_at: datetime | None = None,
) -> Adjustment:
    """Request an adjustment; if it needs no second person, it is ordered at once.

    `token` makes repeated submissions of the form one request. Raise ValidationError if there is no
    reason, the amount is bad, the kind is not a manual one, the account is closed or the token was
    used for another request; also for a grant with no expiry, with a past one, or next to too many
    other grants (services/promotions.py).
    """
    require(actor, "billing.finance", wallet)
    asker = operator_of(actor)
    reason = clean_line(reason, needed=True)
    clean_amount(amount)
    if (
        kind not in (*BY_FORM, Kind.CHARGE_BY_HAND, Kind.GRANT)
        or (kind == Kind.CHARGE_BY_HAND) != (flagged_report is not None)
        or (kind == Kind.GRANT) != (expires_at is not None)
    ):
        raise ValidationError(_("Adjustment not found."))
    with transaction.atomic():
        wallet = locked(wallet)
        found = Adjustment.objects.filter(operation_id=f"adjust:{token}").first()
        if found is not None:
            return _same(found, wallet, kind, amount)
        _check(wallet, kind, recharge)
        _check_cash(wallet, kind, amount)
        promotions.check_grant(wallet, expires_at)
        adjustment = Adjustment.objects.create(
            wallet=wallet,
            kind=kind,
            amount=amount,
            expires_at=expires_at,
            reason=reason,
            reference=clean_line(reference)[:120],
            recharge=recharge,
            flagged_report=flagged_report,
            asked_by=asker,
            operation_id=f"adjust:{token}",
        )
        note(actor, "billing.adjustment_ask", adjustment, reason)
        if not needs_second(wallet, asker, kind, amount):
            _apply(adjustment, decided_by=None)
        live.touch(TOPIC)
        return adjustment


def needs_second(wallet: Wallet, asker: User, kind: str, amount: int) -> bool:
    """Whether another operator must approve: above the limit, alone or with the day's others."""
    return amount > alone_up_to(wallet, asker, kind)


def alone_up_to(wallet: Wallet, asker: User, kind: str) -> int:
    """Return how much more a person may move without another's approval; 0 means nothing.

    Amounts that the person moved alone on this account in the last 24 h count too, so that a large
    sum in small parts needs four eyes as well. So do the amounts of people who are not independent
    of this person (`access.four_eyes`). A charge by hand always needs a second operator.
    """
    limit: int = settings.BILLING_FOUR_EYES_ABOVE
    if kind == Kind.CHARGE_BY_HAND or not limit:
        return 0
    since = timezone.now() - timedelta(hours=24)
    alone = Adjustment.objects.filter(
        wallet=wallet,
        asked_at__gte=since,
        status=Adjustment.Status.APPLIED,
        decided_by=None,
    )
    askers = User.objects.filter(pk__in=alone.values("asked_by"))
    same = [each for each in askers if each == asker or four_eyes.dependence(each, asker)]
    before: int = alone.filter(asked_by__in=same).aggregate(total=Sum("amount"))["total"] or 0
    return max(0, limit - before)


def adjustment_approve(adjustment: Adjustment, *, actor: Actor, reason: str = "") -> Adjustment:
    """Approve as the second operator, and order the adjustment in the same transaction.

    Raise ValidationError if it is the operator's own request, if it was decided already, if the
    requester no longer has the right, or if the two operators are not independent
    (`access.four_eyes`).
    """
    require(actor, "billing.finance", adjustment)
    decider = operator_of(actor)
    with transaction.atomic():
        adjustment = _waiting(adjustment)
        if why := why_not_approve(adjustment, decider):
            raise ValidationError(why)
        _check(adjustment.wallet, adjustment.kind, adjustment.recharge)
        _check_cash(adjustment.wallet, adjustment.kind, adjustment.amount)
        promotions.check_grant(adjustment.wallet, adjustment.expires_at)
        _decide(adjustment, decider, clean_line(reason))
        _apply(adjustment, decided_by=decider)
        note(actor, "billing.adjustment_approve", adjustment, reason)
        live.touch(TOPIC)
    return adjustment


def why_not_approve(adjustment: Adjustment, decider: User) -> str:
    """Return why this operator may not approve a waiting adjustment, as text; "" if they may."""
    asker = adjustment.asked_by
    is_limit = adjustment.kind == Adjustment.CREDIT_LIMIT
    if is_limit and adjustment.amount <= adjustment.wallet.credit_limit:
        return _("The credit limit is this high already. Reject the request.")
    if asker.pk == decider.pk:
        return _("Someone else must approve your request.")
    if not four_eyes.may_finance(asker):
        return _("The requester no longer has this right. Reject the request.")
    return four_eyes.why_dependent(decider, asker)


def adjustment_reject(adjustment: Adjustment, *, actor: Actor, reason: str) -> Adjustment:
    """Reject as another operator, or withdraw as the requester. No money moves."""
    require(actor, "billing.finance", adjustment)
    decider = operator_of(actor)
    reason = clean_line(reason, needed=True)
    with transaction.atomic():
        adjustment = _waiting(adjustment)
        other = None if adjustment.asked_by_id == decider.pk else decider
        _decide(adjustment, other, reason)
        adjustment.status = Adjustment.Status.REJECTED
        adjustment.save()
        close_request(adjustment, name_of(actor), reason)
        note(actor, "billing.adjustment_reject", adjustment, reason)
        live.touch(TOPIC)
    return adjustment


def _apply(adjustment: Adjustment, *, decided_by: User | None) -> None:
    adjustment.status = Adjustment.Status.APPLIED
    adjustment.decided_at = timezone.now()
    adjustment.save()
    if adjustment.kind == Adjustment.CREDIT_LIMIT:
        approver = decided_by or adjustment.asked_by
        credit_limit_write(
            adjustment.wallet, adjustment.amount, actor=approver, reason=adjustment.reason
        )
        return
    if adjustment.kind == Kind.GRANT:
        promotions.promotion_write(adjustment)
    outbox.order(
        adjustment.wallet,
        adjustment.kind,
        adjustment.amount,
        adjustment.operation_id,
        (adjustment.reference or adjustment.reason)[:120],
    )
    report = adjustment.flagged_report
    if report is not None:
        if report.closed_at is not None:
            raise wrong_state(_("This report is already closed."))
        report.closed_at = adjustment.decided_at
        report.closing = FlaggedReport.Closing.CHARGED
        report.closed_by = (decided_by or adjustment.asked_by).get_username()[:150]
        report.closing_reason = adjustment.reason
        report.save()


def _decide(adjustment: Adjustment, decider: User | None, reason: str) -> None:
    adjustment.decided_by = decider
    adjustment.decided_at = timezone.now()
    adjustment.decision_reason = reason


def _waiting(adjustment: Adjustment) -> Adjustment:
    """Lock and return the row. Raise ValidationError if it no longer waits for a decision."""
    rows = Adjustment.objects.select_for_update(of=("self",))
    found = rows.select_related("wallet__account", "asked_by", "flagged_report", "recharge").get(
        pk=adjustment.pk
    )
    if found.status != Adjustment.Status.WAITING:
        raise wrong_state(_("A decision was already made: %s.") % found.get_status_display())
    return found


def _same(found: Adjustment, wallet: Wallet, kind: str, amount: int) -> Adjustment:
    if (found.wallet_id, found.kind, found.amount) != (wallet.pk, kind, amount):
        raise ValidationError(
            _("This form was already submitted. Open the page again to start over.")
        )
    return found


def _check(wallet: Wallet, kind: str, recharge: Recharge | None) -> None:
    """Allow a closed account to be settled only: paid out or written off, never filled again."""
    closed = wallet.status == Wallet.Status.CLOSED
    if closed and kind not in (Kind.CASH_REFUND, Kind.CHARGEBACK, Kind.DEBIT, Kind.CHARGE_BY_HAND):
        raise wrong_state(_("This account is closed."))
    if recharge is not None and recharge.wallet_id != wallet.pk:
        raise ValidationError(_("That top-up belongs to another account."))


def _check_cash(wallet: Wallet, kind: str, amount: int) -> None:
    """Refuse a cash refund above the current balance.

    The script checks again when it pays: it pays the whole amount, or the order waits.
    """
    if kind != Kind.CASH_REFUND:
        return
    try:
        live = servers.path(wallet).run(commands.balance(wallet.slug))
    except (hotpath.HotPathError, RedisError, OSError):
        live = None
    if live is None:
        raise ValidationError(_("The balance can't be read right now. Nothing was changed."))
    own = live.bal - live.promotional
    if amount > own:
        most = money.plain(max(0, own))  # neither credit nor promotions
        raise ValidationError(_("Only %s can be paid out.") % most)


def operator_of(actor: Actor) -> User:
    """Return the operator who acts.

    Four eyes need two operators; a member's grant is not enough.
    """
    user = person(actor)
    if not (user.is_operator and user.is_active):
        raise access.Forbidden("billing.finance")
    return user


def close_request(adjustment: Adjustment, name: str, reason: str) -> None:
    """Decline the customer's refund request, with the reason."""
    rows = RefundRequest.objects.filter(adjustment=adjustment)
    rows.update(
        status=RefundRequest.Status.DECLINED,
        answered_by=name,
        answered_at=timezone.now(),
        answer=reason,
    )


def note(actor: Actor, action: str, adjustment: Adjustment, reason: str) -> None:
    """Write the audit entry of an action on an adjustment."""
    access.audit(
        actor=actor,
        action=action,
        thing=adjustment.wallet,
        after={
            "adjustment": adjustment.pk,
            "kind": adjustment.kind,
            "amount": adjustment.amount,
            "status": adjustment.status,
            "asked_by": adjustment.asked_by.get_username(),
        },
        reason=clean_line(reason),
    )
