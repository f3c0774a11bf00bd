"""A cash refund that the balance no longer covers waits until an operator gives it up."""

from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError

from billing import servers
from billing import wallet as commands
from billing.models import Adjustment, MoneyOrder, RefundRequest
from billing.money import UNITS
from billing.persistence.running import persist_shard
from billing.services import adjustments, outbox, refunds
from billing.services.adjustments_giving_up import adjustment_give_up
from billing.services.rebuilding_drill import wallet_rebuild
from poolsite import access
from poolsite.access.models import AuditEntry, User
from poolsite.runtime.redis_server import RedisServer
from tests.billing.recharge.money_people import Payers, browser, operator, spendable

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture
def omar() -> User:
    return operator("omar", "finance")


def move(people: Payers, operation_id: str, kind: str, amount: int) -> Any:
    path = servers.path(people.wallet)
    return path.run(commands.move(people.wallet.slug, operation_id, kind, amount * UNITS))


@pytest.fixture
def stuck(people: Payers, olga: User, omar: User, monkeypatch: pytest.MonkeyPatch) -> Adjustment:
    """Return an approved refund of 50 whose money was spent just before it reached the wallet."""
    move(people, "r1", "recharge", 60)
    persist_shard(0, 1)
    people.wallet.refresh_from_db()
    asked = refunds.refund_ask(
        people.wallet, actor=people.owner, amount=50 * UNITS, reason="leaving", payout="IBAN"
    )
    made = refunds.refund_accept(asked, actor=olga, reference="T1", token=uuid4())
    with monkeypatch.context() as patched:
        patched.setattr(outbox, "apply_orders", lambda _keys: 0)  # the approver's process died
        adjustments.adjustment_approve(made, actor=omar)
    move(people, "spent", "debit", 30)
    outbox.apply_orders(list(MoneyOrder.objects.values_list("pk", flat=True)))
    order = MoneyOrder.objects.get(operation_id=made.operation_id)
    assert (order.applied_at, order.answer) == (None, "insufficient balance")
    return Adjustment.objects.get(pk=made.pk)


def test_it_is_given_up_with_a_reason_and_never_paid_afterwards(
    people: Payers, olga: User, stuck: Adjustment
) -> None:
    done = adjustment_give_up(stuck, actor=olga, reason="the money was spent")
    order = MoneyOrder.objects.get(operation_id=stuck.operation_id)
    assert (done.status, order.applied_at, order.answer) == ("given_up", None, "cancelled")
    request = RefundRequest.objects.get()
    assert (request.status, request.answer) == ("declined", "the money was spent")
    entry = AuditEntry.objects.get(action="billing.adjustment_give_up")
    assert entry.reason == "the money was spent"
    move(people, "r2", "recharge", 500)
    assert outbox.relay()["waiting"] == outbox.apply_waiting(people.wallet) == 0
    # A relay that had read the order earlier comes late.
    late = move(people, stuck.operation_id, "cash_refund", 50)
    assert (late.answer, late.applied) == ("cancelled", False)
    assert spendable(people.wallet) == (60 - 30 + 500) * UNITS


def test_it_stays_given_up_when_redis_is_lost_and_rebuilt(
    people: Payers, olga: User, stuck: Adjustment, clean_redis: RedisServer
) -> None:
    move(people, "r2", "recharge", 500)
    adjustment_give_up(stuck, actor=olga, reason="spent")
    persist_shard(0, 1)
    wallet_rebuild(people.wallet, actor="test")
    outbox.relay()
    assert spendable(people.wallet) == (60 - 30 + 500) * UNITS


def test_what_was_paid_out_is_not_given_up_even_where_sql_does_not_know_yet(
    people: Payers, olga: User, stuck: Adjustment, clean_redis: RedisServer
) -> None:
    with clean_redis.client() as client:  # its receipt is forgotten after 7 days
        client.hdel(people.wallet.tag + ":operations", stuck.operation_id)
    move(people, "r2", "recharge", 500)
    assert move(people, stuck.operation_id, "cash_refund", 50).answer == "applied"
    with pytest.raises(ValidationError, match="already paid out"):
        adjustment_give_up(stuck, actor=olga, reason="spent")
    stuck.refresh_from_db()
    assert stuck.status == "applied"
    outbox.apply_orders(list(MoneyOrder.objects.values_list("pk", flat=True)))
    assert MoneyOrder.objects.get(operation_id=stuck.operation_id).applied_at is not None
    assert spendable(people.wallet) == (60 - 30 + 500 - 50) * UNITS


def test_a_second_click_is_told_and_a_credit_is_not_given_up(
    people: Payers, olga: User, omar: User, stuck: Adjustment
) -> None:
    adjustment_give_up(stuck, actor=olga, reason="spent")
    with pytest.raises(ValidationError, match="can't be cancelled"):
        adjustment_give_up(stuck, actor=omar, reason="spent")
    credit = adjustments.adjustment_ask(
        people.wallet, actor=olga, kind="credit", amount=1, reason="x", token=uuid4()
    )
    with pytest.raises(ValidationError, match="Only cash refunds can be cancelled"):
        adjustment_give_up(credit, actor=olga, reason="spent")
    assert AuditEntry.objects.filter(action="billing.adjustment_give_up").count() == 1


def test_only_operators_with_finance_and_a_reason_give_up(
    people: Payers, olga: User, stuck: Adjustment
) -> None:
    for actor in (people.owner, operator("odd")):
        with pytest.raises(access.AccessRefused):
            adjustment_give_up(stuck, actor=actor, reason="spent")
    with pytest.raises(ValidationError):
        adjustment_give_up(stuck, actor=olga, reason="  ")


def test_nothing_is_given_up_while_redis_is_away(
    olga: User, stuck: Adjustment, clean_redis: RedisServer
) -> None:
    with clean_redis.client() as client:
        client.delete(stuck.wallet.tag)
    with pytest.raises(ValidationError, match="can't be read right now"):
        adjustment_give_up(stuck, actor=olga, reason="spent")
    stuck.refresh_from_db()
    assert stuck.status == "applied"


def test_the_page_offers_it_and_shows_what_became_of_it(olga: User, stuck: Adjustment) -> None:
    page = f"/billing/adjustments/{stuck.pk}/"
    shown = browser(olga)
    assert b"Cancel refund" in shown.get(page).content
    assert shown.post(f"{page}give-up/", {"reason": ""}).status_code == 422
    assert shown.post(f"{page}give-up/", {"reason": "the money was spent"}).status_code == 302
    said = shown.get(page).content.decode()
    assert "<dd>cancelled · " in said
    assert "the money was spent" in said
    assert "Cancel refund" not in said
