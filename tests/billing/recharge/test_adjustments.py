"""What operators do by hand: two different people, a reason, and nothing twice."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from billing import servers, wallet
from billing.models import Adjustment, FlaggedReport, MoneyOrder, RefundRequest
from billing.money import LIMIT, UNITS
from billing.persistence.running import persist_one
from billing.services import adjustments, flagged_reports, refunds, wallets
from poolsite import access
from poolsite.access.models import AuditEntry, Grant, User
from poolsite.access.services import grant_set, user_create
from tests.billing.recharge.money_people import (
    Payers,
    answer,
    completed,
    figures,
    operator,
    payers,
    spendable,
    started,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture
def omar() -> User:
    return operator("omar", "finance")


def ask(people: Payers, actor: User, kind: str = "credit", amount: int = 50, **more: Any) -> Any:
    more.setdefault("reason", "goodwill")
    more.setdefault("token", uuid4())
    return adjustments.adjustment_ask(
        people.wallet, actor=actor, kind=kind, amount=amount * UNITS, **more
    )


def test_a_credit_waits_for_another_operator_and_is_applied_once(
    people: Payers, olga: User, omar: User
) -> None:
    made = ask(people, olga)
    assert (made.status, spendable(people.wallet)) == ("waiting", 0)
    adjustments.adjustment_approve(made, actor=omar)
    assert spendable(people.wallet) == 50 * UNITS
    with pytest.raises(ValidationError, match="A decision was already made"):
        adjustments.adjustment_approve(made, actor=omar)
    assert spendable(people.wallet) == 50 * UNITS
    actions = AuditEntry.objects.order_by("pk").values_list("action", "actor_name", "reason")
    assert list(actions)[-2:] == [
        ("billing.adjustment_ask", "olga", "goodwill"),
        ("billing.adjustment_approve", "omar", ""),
    ]


def test_who_asked_cannot_approve_not_even_past_the_service(people: Payers, olga: User) -> None:
    made = ask(people, olga)
    with pytest.raises(ValidationError, match="Someone else must approve"):
        adjustments.adjustment_approve(made, actor=olga)
    made.decided_by = olga
    with pytest.raises(IntegrityError), transaction.atomic():
        made.save()
    assert spendable(people.wallet) == 0


def test_an_asker_who_lost_the_grant_asked_in_vain(people: Payers, olga: User, omar: User) -> None:
    made = ask(people, olga)
    Grant.objects.filter(user=olga, name="finance").delete()
    with pytest.raises(ValidationError, match="no longer"):
        adjustments.adjustment_approve(made, actor=omar)
    adjustments.adjustment_reject(made, actor=omar, reason="asker has gone")
    assert spendable(people.wallet) == 0


def test_only_operators_with_finance_ask_and_approve(people: Payers, olga: User) -> None:
    looker, operate = operator("looker"), operator("oz", "operate")
    for actor in (looker, operate, people.owner):
        with pytest.raises(access.Forbidden):
            ask(people, actor)
    made = ask(people, olga)
    for actor in (looker, operate, people.owner):
        with pytest.raises(access.Forbidden):
            adjustments.adjustment_approve(made, actor=actor)
    member = user_create(username="member", actor="test")
    grant_set(
        user=member,
        name="finance",
        thing="wallet:acme",
        actor="test",
        account=people.wallet.account,
    )
    with pytest.raises(access.AccessRefused):
        adjustments.adjustment_approve(made, actor=User.objects.get(pk=member.pk))


def test_a_part_of_the_system_is_no_pair_of_eyes(people: Payers) -> None:
    with pytest.raises(access.Forbidden):
        ask(people, "a sweep")


def test_below_the_limit_one_operator_is_enough_but_not_in_slices(
    people: Payers, olga: User, omar: User, settings: Any
) -> None:
    settings.BILLING_FOUR_EYES_ABOVE = 100 * UNITS
    assert ask(people, olga, amount=60).status == "applied"
    assert ask(people, olga, amount=40).status == "applied"
    assert ask(people, olga, amount=1).status == "waiting"
    assert ask(people, omar, amount=100).status == "applied"
    Adjustment.objects.filter(asked_by=olga).update(asked_at=timezone.now() - timedelta(hours=25))
    assert ask(people, olga, amount=101).status == "waiting"
    assert ask(people, olga, amount=100).status == "applied"
    assert spendable(people.wallet) == 300 * UNITS


def test_a_second_click_is_the_same_adjustment_and_another_one_by_its_token_is_none(
    people: Payers, olga: User
) -> None:
    token = uuid4()
    assert ask(people, olga, token=token).pk == ask(people, olga, token=token).pk
    with pytest.raises(ValidationError, match="already submitted"):
        ask(people, olga, amount=51, token=token)
    assert Adjustment.objects.count() == 1


@pytest.mark.parametrize("units", [0, -1, LIMIT, 2**63, True, 1.5])
def test_no_amount_no_adjustment(people: Payers, olga: User, units: Any) -> None:
    with pytest.raises(ValidationError):
        adjustments.adjustment_ask(
            people.wallet, actor=olga, kind="credit", amount=units, reason="x", token=uuid4()
        )
    assert not Adjustment.objects.exists()


@pytest.mark.parametrize("reason", ["", "  ", "\n\t"])
def test_no_reason_no_adjustment(people: Payers, olga: User, reason: str) -> None:
    with pytest.raises(ValidationError):
        ask(people, olga, reason=reason)


@pytest.mark.parametrize("kind", ["recharge", "by_hand", "gift", ""])
def test_what_is_not_by_hand_is_not_asked_for(people: Payers, olga: User, kind: str) -> None:
    with pytest.raises(ValidationError):
        ask(people, olga, kind)


def test_a_debit_above_the_balance_takes_what_is_there_and_the_rest_is_owed(
    people: Payers, olga: User, omar: User
) -> None:
    answer(completed(started(people, 30)))
    adjustments.adjustment_approve(ask(people, olga, "debit", 100), actor=omar)
    now = figures(people.wallet)
    assert (now.bal, now.receivable) == (0, 70 * UNITS)
    answer(completed(started(people, 100)))
    now = figures(people.wallet)
    assert (now.bal, now.receivable) == (30 * UNITS, 0)


def test_cash_is_paid_out_of_what_is_there(people: Payers, olga: User, omar: User) -> None:
    answer(completed(started(people, 30)))
    with pytest.raises(ValidationError, match="30"):
        ask(people, olga, "cash_refund", 31)
    made = ask(people, olga, "cash_refund", 30)
    adjustments.adjustment_approve(made, actor=omar)
    assert spendable(people.wallet) == 0


def test_a_rejected_adjustment_moves_nothing_and_stays_rejected(
    people: Payers, olga: User, omar: User
) -> None:
    made = ask(people, olga)
    with pytest.raises(ValidationError):
        adjustments.adjustment_reject(made, actor=omar, reason=" ")
    adjustments.adjustment_reject(made, actor=omar, reason="not agreed")
    with pytest.raises(ValidationError):
        adjustments.adjustment_approve(made, actor=omar)
    assert not MoneyOrder.objects.exists()
    own = ask(people, olga)
    adjustments.adjustment_reject(own, actor=olga, reason="typing error")
    own.refresh_from_db()
    assert (own.status, own.decided_by) == ("rejected", None)


def test_a_charge_back_names_a_top_up_of_the_same_account(people: Payers, olga: User) -> None:
    foreign = started(payers("other"), 100)
    with pytest.raises(ValidationError, match="another account"):
        ask(people, olga, "chargeback", 10, recharge=foreign)


# -- refund requests -----------------------------------------------------------------------------


def persisted(people: Payers, units: int) -> None:
    """Write that balance as the persistence would."""
    people.wallet.__class__.objects.filter(pk=people.wallet.pk).update(spendable=units)


def asked(people: Payers, amount: int = 20) -> RefundRequest:
    return refunds.refund_ask(
        people.wallet,
        actor=people.owner,
        amount=amount * UNITS,
        reason="leaving",
        payout="Bank 123",
    )


def test_a_customer_asks_and_two_operators_pay_out(people: Payers, olga: User, omar: User) -> None:
    answer(completed(started(people, 50)))
    persisted(people, 50 * UNITS)
    request = asked(people)
    with pytest.raises(ValidationError, match="A refund request is already open"):
        asked(people)
    made = refunds.refund_accept(request, actor=olga, reference="transfer 7", token=uuid4())
    assert (made.status, spendable(people.wallet)) == ("waiting", 50 * UNITS)
    adjustments.adjustment_approve(made, actor=omar)
    assert spendable(people.wallet) == 30 * UNITS
    with pytest.raises(ValidationError, match="already answered"):
        refunds.refund_accept(request, actor=omar, reference="", token=uuid4())


def test_a_refund_is_not_for_more_than_there_is_nor_without_where_to(people: Payers) -> None:
    persisted(people, 10 * UNITS)
    with pytest.raises(ValidationError, match="more than the balance"):
        asked(people, 11)
    with pytest.raises(ValidationError, match="Enter the payout account"):
        refunds.refund_ask(people.wallet, actor=people.owner, amount=UNITS, reason="x", payout=" ")


def test_a_refund_is_declined_or_withdrawn_with_its_reason(people: Payers, olga: User) -> None:
    persisted(people, 50 * UNITS)
    declined = refunds.refund_decline(asked(people), actor=olga, reason="contract runs")
    assert (declined.status, declined.answer) == ("declined", "contract runs")
    withdrawn = refunds.refund_withdraw(asked(people), actor=people.owner)
    assert withdrawn.status == "taken"
    with pytest.raises(access.AccessRefused):
        refunds.refund_withdraw(asked(people), actor=payers("other").owner)


def test_a_rejected_refund_tells_its_customer_why(people: Payers, olga: User, omar: User) -> None:
    answer(completed(started(people, 50)))
    persisted(people, 50 * UNITS)
    request = asked(people)
    made = refunds.refund_accept(request, actor=olga, reference="", token=uuid4())
    adjustments.adjustment_reject(made, actor=omar, reason="wrong bank account")
    request.refresh_from_db()
    assert (request.status, request.answer) == ("declined", "wrong bank account")


# -- flagged reports ------------------------------------------------------------------------------


def flagged(people: Payers, seq: int = 1) -> FlaggedReport:
    return FlaggedReport.objects.create(
        wallet=people.wallet,
        generation=1,
        seq=seq,
        message_id=f"m{seq}",
        flag="late",
        difference=3 * UNITS,
        at=timezone.now(),
    )


def charge(report: FlaggedReport, actor: User, token: UUID | None = None) -> Adjustment:
    return flagged_reports.flagged_charge(
        report, actor=actor, amount=3 * UNITS, reason="delivered", token=token or uuid4()
    )


def test_a_flagged_report_is_charged_by_four_eyes_whatever_the_limit(
    people: Payers, olga: User, omar: User, settings: Any
) -> None:
    settings.BILLING_FOUR_EYES_ABOVE = 1_000 * UNITS
    answer(completed(started(people, 10)))
    report, token = flagged(people), uuid4()
    made = charge(report, olga, token)
    assert made.status == "waiting"
    assert charge(report, olga, token).pk == made.pk
    with pytest.raises(ValidationError, match="is waiting for approval"):
        charge(report, omar)
    with pytest.raises(ValidationError, match="is waiting for approval"):
        flagged_reports.flagged_accept(report, actor=omar, reason="small")
    adjustments.adjustment_approve(made, actor=omar)
    report.refresh_from_db()
    assert (report.closing, report.closed_by) == ("charged", "omar")
    assert spendable(people.wallet) == 7 * UNITS
    with pytest.raises(ValidationError, match="already closed"):
        charge(report, omar)


def test_an_unpaid_session_message_is_charged_by_its_sender_or_by_hand_never_both(
    people: Payers, olga: User
) -> None:
    session = wallet.HoldRequest("s", "hash", wallet.Quote({"native_session": UNITS}, 7))
    path, slug = servers.path(people.wallet), people.wallet.slug
    assert path.run(wallet.session(slug, session)).answer == "unpaid"
    persist_one(people.wallet)
    report = FlaggedReport.objects.get(message_id="s")
    with pytest.raises(ValidationError, match="when it is sent again"):
        charge(report, olga)
    assert Adjustment.objects.count() == 0
    answer(completed(started(people, 10)))
    assert path.run(wallet.session(slug, session)).answer == "settled"
    persist_one(people.wallet)
    report.refresh_from_db()
    assert (report.closing, report.closed_at is None) == ("paid", False)
    with pytest.raises(ValidationError, match="already closed"):
        charge(report, olga)


def test_a_loss_is_accepted_once_and_moves_nothing(people: Payers, olga: User) -> None:
    report = flagged(people)
    flagged_reports.flagged_accept(report, actor=olga, reason="below the cost of asking")
    with pytest.raises(ValidationError, match="already closed"):
        flagged_reports.flagged_accept(report, actor=olga, reason="again")
    assert not MoneyOrder.objects.exists()


def test_a_closed_account_is_only_settled(people: Payers, olga: User, omar: User) -> None:
    answer(completed(started(people, 30)))
    wallets.wallet_close(people.wallet, actor=olga, reason="contract ended")
    with pytest.raises(ValidationError, match="closed"):
        ask(people, olga, "credit", 1)
    adjustments.adjustment_approve(ask(people, olga, "cash_refund", 30), actor=omar)
    assert spendable(people.wallet) == 0
