"""Stripe's events: credited once, compared, and everything else answered clearly."""

import json
import time

import pytest

from billing.models import MoneyOrder, ProviderEvent, Recharge
from billing.money import UNITS
from poolsite.access.models import AuditEntry
from poolsite.operations.models import Incident, WebhookEvent
from poolsite.operations.webhooks.services import endpoint_create
from tests.billing.recharge.money_people import (
    Payers,
    answer,
    completed,
    dispute,
    event,
    figures,
    payers,
    refunded,
    send,
    session,
    spendable,
    started,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


def status(recharge: Recharge) -> str:
    return str(Recharge.objects.get(pk=recharge.pk).status)


def test_a_paid_checkout_is_credited_at_once(people: Payers) -> None:
    recharge = started(people, 100)
    assert answer(completed(recharge)) == (200, "credited")
    assert spendable(people.wallet) == 100 * UNITS
    row = Recharge.objects.get(pk=recharge.pk)
    assert (row.status, row.transaction_id, row.provider_payment) == (
        "confirmed",
        f"cs_test_{recharge.pk}",
        f"pi_{recharge.pk}",
    )
    assert row.credited_at is not None
    (order,) = MoneyOrder.objects.all()
    assert (order.kind, order.amount, order.operation_id) == (
        "recharge",
        100 * UNITS,
        f"recharge:{recharge.pk}",
    )
    assert AuditEntry.objects.filter(action="billing.recharge_report").count() == 1


def test_the_same_event_and_another_one_of_the_same_payment_credit_nothing_more(
    people: Payers,
) -> None:
    recharge = started(people, 100)
    first = completed(recharge, "evt_same")
    assert answer(first) == (200, "credited")
    assert answer(first) == (200, "repeat")
    later = event("checkout.session.async_payment_succeeded", session(recharge))
    assert answer(later) == (200, "repeat")
    assert spendable(people.wallet) == 100 * UNITS
    assert MoneyOrder.objects.count() == 1
    seen = ProviderEvent.objects.get(event_id="evt_same")
    assert (seen.times, seen.answer, seen.recharge_id) == (2, "credited", recharge.pk)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"amount_total": 9_999}, "wrong amount"),
        ({"amount_total": 10_001}, "wrong amount"),
        ({"amount_total": 0}, "wrong amount"),
        ({"currency": "usd"}, "wrong amount"),
        ({"currency": "jpy"}, "wrong amount"),
    ],
)
def test_another_amount_or_currency_credits_nothing_and_calls_a_person(
    people: Payers, changes: dict[str, object], said: str
) -> None:
    recharge = started(people, 100)
    assert answer(completed(recharge, **changes)) == (422, said)
    assert spendable(people.wallet) == 0
    assert not MoneyOrder.objects.exists()
    assert status(recharge) == "error"
    assert Incident.objects.get(type="billing.recharge").until is None
    # Then the right event: the requested amount is credited, the incident is over.
    assert answer(completed(recharge)) == (200, "credited")
    assert Incident.objects.get(type="billing.recharge").until is not None


def test_a_payment_of_another_checkout_is_not_taken(people: Payers) -> None:
    recharge, other = started(people, 100), started(people, 100)
    assert answer(completed(other)) == (200, "credited")
    stolen = completed(recharge, id=f"cs_test_{other.pk}")
    assert answer(stolen) == (422, "wrong reference")
    assert spendable(people.wallet) == 100 * UNITS


def test_a_checkout_that_was_opened_under_another_reference_is_not_taken(people: Payers) -> None:
    recharge = started(people, 100)
    Recharge.objects.filter(pk=recharge.pk).update(transaction_id="cs_opened")
    assert answer(completed(recharge)) == (422, "wrong reference")
    assert answer(completed(recharge, id="cs_opened")) == (200, "credited")


def test_an_expired_checkout_that_comes_late_undoes_nothing(people: Payers) -> None:
    recharge = started(people, 100)
    answer(completed(recharge))
    late = event("checkout.session.expired", session(recharge, status="expired"))
    assert answer(late) == (200, "too late")
    assert (status(recharge), spendable(people.wallet)) == ("confirmed", 100 * UNITS)


def test_a_payment_that_comes_after_its_expiry_is_credited(people: Payers) -> None:
    recharge = started(people, 100)
    early = event("checkout.session.expired", session(recharge, status="expired"))
    assert answer(early) == (200, "not credited")
    assert (status(recharge), spendable(people.wallet)) == ("cancelled", 0)
    assert answer(completed(recharge)) == (200, "credited")
    assert spendable(people.wallet) == 100 * UNITS


def test_an_unpaid_checkout_waits_for_its_delayed_payment(people: Payers) -> None:
    recharge = started(people, 100)
    assert answer(completed(recharge, payment_status="unpaid")) == (200, "ignored")
    assert spendable(people.wallet) == 0
    paid = event("checkout.session.async_payment_succeeded", session(recharge))
    assert answer(paid) == (200, "credited")


def test_an_unknown_payment_is_not_found(people: Payers) -> None:
    recharge = started(people, 100)
    ghost = completed(recharge, client_reference_id="11111111-1111-4111-8111-111111111111")
    assert answer(ghost) == (404, "unknown payment")
    assert answer(refunded(recharge, 10_000)) == (404, "unknown payment")
    assert spendable(people.wallet) == 0


def test_a_type_that_means_nothing_here_is_taken_and_ignored(people: Payers) -> None:
    assert answer(event("customer.created", {"id": "cus_1"})) == (200, "ignored")


@pytest.mark.parametrize(
    "header", ["", "t=1,v1=00", "v1=abc", "t=,v1=", "nonsense", "t=99999999999,v1="]
)
def test_without_a_right_signature_nothing_is_believed(people: Payers, header: str) -> None:
    recharge = started(people, 100)
    status_code, said = answer(completed(recharge), header=header or " ")
    assert (status_code, said) == (400, "The signature is missing, wrong or too old.")
    assert spendable(people.wallet) == 0
    assert not ProviderEvent.objects.exists()


def test_a_signature_by_another_secret_or_an_old_one_is_refused(people: Payers) -> None:
    recharge = started(people, 100)
    assert answer(completed(recharge), secret="whsec_other")[0] == 400
    assert answer(completed(recharge), at=int(time.time()) - 301)[0] == 400
    assert answer(completed(recharge), at=int(time.time()) - 290) == (200, "credited")


def test_a_body_changed_after_signing_is_refused(people: Payers) -> None:
    recharge = started(people, 100)
    body = json.dumps(completed(recharge))
    import stripe

    from tests.billing.recharge.money_people import SECRET

    header = stripe.WebhookSignature.generate_signature_header(body, SECRET)
    response = send(body.replace("10000", "10001"), header=header)
    assert response.status_code == 400
    assert spendable(people.wallet) == 0


@pytest.mark.parametrize("body", ["", "[]", "{}", "null", "{", '{"id": ""}', "\x00"])
def test_what_is_no_event_is_refused_even_when_signed(people: Payers, body: str) -> None:
    assert send(body).status_code == 400


@pytest.mark.parametrize(
    "changes",
    [
        {"amount_total": None},
        {"amount_total": -1},
        {"amount_total": "10000"},
        {"amount_total": 100.5},
        {"amount_total": True},
        {"amount_total": 2**63},
        {"currency": None},
        {"currency": 7},
    ],
)
def test_an_event_in_another_form_is_not_understood(
    people: Payers, changes: dict[str, object]
) -> None:
    recharge = started(people, 100)
    assert answer(completed(recharge, **changes))[0] == 422
    assert spendable(people.wallet) == 0


def test_an_event_without_its_parts_is_not_understood(people: Payers) -> None:
    said = completed(started(people))
    del said["data"]["object"]["client_reference_id"]
    assert answer(said)[0] == 422
    assert answer({"id": "evt_x", "type": "charge.refunded"})[0] == 422


def test_a_body_over_the_limit_is_refused_before_it_is_read(people: Payers) -> None:
    assert send("{" + " " * 300_000 + "}").status_code == 413


def test_refunds_at_the_provider_take_money_back_by_their_sum(people: Payers) -> None:
    recharge = started(people, 100)
    answer(completed(recharge))
    assert answer(refunded(recharge, 3_000)) == (200, "taken back")
    assert answer(refunded(recharge, 3_000)) == (200, "repeat")
    assert answer(refunded(recharge, 10_000)) == (200, "taken back")
    assert answer(refunded(recharge, 3_000)) == (200, "repeat")  # an older event, late
    assert spendable(people.wallet) == 0
    row = Recharge.objects.get(pk=recharge.pk)
    assert (row.status, row.reversed) == ("refunded", 100 * UNITS)


def test_a_payment_replayed_after_its_refund_is_not_credited_again(people: Payers) -> None:
    recharge = started(people, 100)
    paid = completed(recharge)
    answer(paid)
    answer(refunded(recharge, 10_000))
    assert answer(paid) == (200, "refunded already")
    assert answer(completed(recharge)) == (200, "refunded already")
    assert (status(recharge), spendable(people.wallet)) == ("refunded", 0)


def test_a_refund_that_overtakes_its_payment_must_come_again(people: Payers) -> None:
    recharge = started(people, 100)
    Recharge.objects.filter(pk=recharge.pk).update(provider_payment=f"pi_{recharge.pk}")
    assert answer(refunded(recharge, 10_000)) == (409, "too early")
    answer(completed(recharge))
    assert answer(refunded(recharge, 10_000)) == (200, "taken back")
    assert spendable(people.wallet) == 0


def test_a_charge_back_above_the_balance_leaves_a_receivable_and_is_won_back(
    people: Payers,
) -> None:
    recharge = started(people, 100)
    answer(completed(recharge))
    from billing.services import outbox

    with_debit = outbox.order(people.wallet, "debit", 70 * UNITS, "spent")
    assert MoneyOrder.objects.get(pk=with_debit.pk).applied_at is not None
    assert answer(dispute(recharge, "funds_reinstated")) == (409, "too early")
    assert answer(dispute(recharge, "funds_withdrawn")) == (200, "taken back")
    assert answer(dispute(recharge, "funds_withdrawn")) == (200, "repeat")
    now = figures(people.wallet)
    assert (now.bal, now.receivable) == (0, 70 * UNITS)
    assert answer(dispute(recharge, "funds_reinstated")) == (200, "reinstated")
    assert answer(dispute(recharge, "funds_reinstated")) == (200, "repeat")
    now = figures(people.wallet)
    assert (now.bal, now.receivable) == (30 * UNITS, 0)
    assert status(recharge) == "confirmed"


def test_a_currency_without_cents_is_counted_in_whole_units() -> None:
    people = payers("kyoto", currency="JPY")
    recharge = started(people, 5_000)
    assert answer(completed(recharge, amount_total=500_000)) == (422, "wrong amount")
    assert answer(completed(recharge, amount_total=5_000)) == (200, "credited")
    assert spendable(people.wallet) == 5_000 * UNITS


def test_the_addresses_of_the_library_believe_nothing(people: Payers) -> None:
    from django.test import Client

    recharge = started(people, 100)
    demo = started(people, 100, "demo")
    client = Client()
    for token in (recharge.token, demo.token):
        client.get(f"/payments/process/{token}/?verification_result=confirmed")
        client.post(f"/payments/process/{token}/", {"status": "confirmed"})
    client.post("/payments/process/stripe/", {"client_reference_id": recharge.token})
    client.post("/payments/process/demo/", {"status": "confirmed"})
    assert spendable(people.wallet) == 0
    assert not Recharge.objects.exclude(status="waiting").exists()


def test_webhooks_tell_once_of_a_top_up_that_was_credited_and_of_one_that_failed(
    people: Payers,
) -> None:
    endpoint_create(
        actor="test",
        account=people.wallet.account,
        name="hook",
        url="https://hooks.example/",
        events=["top_up.credited", "top_up.failed"],
    )
    paid, failed = started(people, 100), started(people, 50)
    assert answer(completed(paid)) == (200, "credited")
    answer(completed(paid))  # the provider repeats itself
    answer(event("checkout.session.expired", session(failed)))
    found = WebhookEvent.objects.order_by("created_at")
    assert [(row.type, row.data["top_up"], row.data["amount"]) for row in found] == [
        ("top_up.credited", paid.number, "100.0000"),
        ("top_up.failed", failed.number, "50.0000"),
    ]
