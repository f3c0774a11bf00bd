"""Changing a credit limit: one operator can lower it at once, raising it takes two."""

from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from billing.models import Adjustment, Wallet
from billing.money import LIMIT, UNITS
from billing.selectors.wallets import low_balances
from billing.services import adjustments, alerts
from billing.services.adjustments import adjustment_ask
from billing.services.auto_top_up import top_up_due
from billing.services.credit_limits import credit_limit_ask
from poolsite import access
from poolsite.access.models import AuditEntry, User
from poolsite.operations.models import Incident
from tests.billing.recharge.money_people import Payers, browser, figures, operator

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
PAGE = "/billing/accounts/acme/credit-limit/"


@pytest.fixture
def omar() -> User:
    return operator("omar", "finance")


def ask(people: Payers, actor: Any, amount: int, **more: Any) -> Adjustment | None:
    given = {"reason": "contract", "token": uuid4(), **more}
    return credit_limit_ask(people.wallet, actor=actor, amount=amount * UNITS, **given)


def limit(people: Payers) -> tuple[int, int]:
    """Return the limits in SQL and in Redis, in currency units."""
    row = Wallet.objects.get(pk=people.wallet.pk)
    return row.credit_limit // UNITS, figures(people.wallet).credit // UNITS


def raised(people: Payers, olga: User, omar: User, amount: int) -> None:
    asked = ask(people, olga, amount)
    assert asked is not None
    adjustments.adjustment_approve(asked, actor=omar)


def test_a_higher_limit_waits_for_another_operator(
    people: Payers, olga: User, omar: User, settings: Any
) -> None:
    settings.BILLING_FOUR_EYES_ABOVE = 1_000 * UNITS  # no effect: a limit is no movement
    asked = ask(people, olga, 500)
    assert asked is not None
    assert (asked.status, limit(people)) == ("waiting", (0, 0))
    with pytest.raises(ValidationError, match="Someone else"):
        adjustments.adjustment_approve(asked, actor=olga)
    adjustments.adjustment_approve(asked, actor=omar)
    assert limit(people) == (500, 500)
    row = Wallet.objects.get(pk=people.wallet.pk)
    assert row.highest_credit_limit == 500 * UNITS
    entries = AuditEntry.objects.order_by("pk").values_list("action", "actor_name")
    assert list(entries)[-3:] == [
        ("billing.adjustment_ask", "olga"),
        ("billing.credit_limit", "omar"),
        ("billing.adjustment_approve", "omar"),
    ]
    assert not people.wallet.orders.exists()


def test_a_lower_limit_is_in_force_at_once(people: Payers, olga: User, omar: User) -> None:
    raised(people, olga, omar, 500)
    assert ask(people, olga, 200) is None
    assert limit(people) == (200, 200)
    assert Wallet.objects.get(pk=people.wallet.pk).highest_credit_limit == 500 * UNITS
    entry = AuditEntry.objects.latest("pk")
    assert (entry.action, entry.before, entry.after, entry.reason) == (
        *("billing.credit_limit", {"credit_limit": 500 * UNITS}, {"credit_limit": 200 * UNITS}),
        "contract",
    )
    assert ask(people, olga, 200) is None  # requesting the same limit again has no effect
    assert AuditEntry.objects.latest("pk").pk == entry.pk


def test_a_repeated_request_is_one(people: Payers, olga: User) -> None:
    token = uuid4()
    first, again = ask(people, olga, 500, token=token), ask(people, olga, 500, token=token)
    assert first == again
    with pytest.raises(ValidationError, match="already submitted"):
        ask(people, olga, 600, token=token)
    with pytest.raises(ValidationError, match="waiting for approval"):
        ask(people, olga, 700)
    assert Adjustment.objects.count() == 1


def test_a_raise_that_was_overtaken_is_not_approved(people: Payers, olga: User, omar: User) -> None:
    asked = ask(people, olga, 500)
    assert asked is not None
    Wallet.objects.filter(pk=people.wallet.pk).update(
        credit_limit=500 * UNITS, highest_credit_limit=500 * UNITS
    )
    with pytest.raises(ValidationError, match="this high already"):
        adjustments.adjustment_approve(asked, actor=omar)
    adjustments.adjustment_reject(asked, actor=omar, reason="done")
    assert limit(people)[0] == 500


def test_only_operators_with_the_grant_change_it(people: Payers, olga: User) -> None:
    for actor in (people.owner, operator("looker"), operator("oz", "operate")):
        with pytest.raises(access.Forbidden):
            ask(people, actor, 5)
        with pytest.raises(access.Forbidden):
            ask(people, actor, 0)
    assert not Adjustment.objects.exists()


@pytest.mark.parametrize(
    ("amount", "reason"), [(-1, "why"), (LIMIT, "why"), (LIMIT - 1, "why"), (10, " ")]
)
def test_what_is_no_limit_changes_nothing(
    people: Payers, olga: User, amount: int, reason: str
) -> None:
    Wallet.objects.filter(pk=people.wallet.pk).update(spendable=5, opening=5)
    with pytest.raises(ValidationError):
        credit_limit_ask(people.wallet, actor=olga, amount=amount, reason=reason, token=uuid4())
    assert limit(people) == (0, 0)
    assert not Adjustment.objects.exists()


def test_an_adjustment_of_money_is_no_way_to_a_limit(people: Payers, olga: User) -> None:
    with pytest.raises(ValidationError):
        adjustment_ask(
            people.wallet, actor=olga, kind="credit_limit", amount=5, reason="x", token=uuid4()
        )


def test_alerts_and_top_ups_count_with_credit(people: Payers, olga: User, omar: User) -> None:
    raised(people, olga, omar, 500)
    rows = Wallet.objects.filter(pk=people.wallet.pk)
    rows.update(alert_below=100 * UNITS, top_up_below=100 * UNITS, spendable=-400 * UNITS)
    assert not low_balances(rows).exists()
    assert alerts.check_low_balances()["opened"] == 0
    assert top_up_due()["begun"] == 0
    rows.update(spendable=-401 * UNITS)
    assert list(low_balances(rows)) == [people.wallet]
    assert alerts.check_low_balances()["opened"] == 1
    told = Incident.objects.get(type="billing.low_balance")
    assert (told.params["balance"], told.severity) == ("99.0000", "warning")
    assert "can be spent" in told.detail


# -- the page -----------------------------------------------------------------------------------


def send(client: Client, amount: str, **more: str) -> Any:
    given = {"amount": amount, "reason": "contract", "token": str(uuid4()), **more}
    return client.post(PAGE, given)


def test_the_form_asks_for_a_higher_limit_and_lowers_it(
    people: Payers, olga: User, omar: User
) -> None:
    client = browser(olga)
    answer = send(client, "500")
    asked = Adjustment.objects.get()
    assert answer["Location"] == f"/billing/adjustments/{asked.pk}/"
    page = client.get(answer["Location"]).content.decode()
    assert "Credit limit now" in page
    assert "After approval" not in page
    assert "A credit limit of" in client.get(PAGE).content.decode()
    browser(omar).post(f"/billing/adjustments/{asked.pk}/approve/")
    assert limit(people) == (500, 500)
    shown = browser(people.owner).get("/accounts/acme/").content.decode()
    assert 'data-money="credit_limit">¥500' in shown
    assert 'data-money="balance"' in shown
    assert 'data-money="credit_limit"' in client.get("/billing/accounts/acme/").content.decode()
    assert send(client, "20")["Location"] == "/billing/accounts/acme/"
    assert limit(people) == (20, 20)
    listed = client.get("/billing/adjustments/?show=all&kind=credit_limit").context["rows"]
    assert [row["adjustment"].pk for row in listed] == [asked.pk]


@pytest.mark.parametrize(
    ("amount", "reason"), [("", "x"), ("-1", "x"), ("x", "x"), ("1.00001", "x"), ("5", "")]
)
def test_a_bad_form_changes_nothing(people: Payers, olga: User, amount: str, reason: str) -> None:
    assert send(browser(olga), amount, reason=reason).status_code == 422
    assert not Adjustment.objects.exists()
    assert limit(people) == (0, 0)


def test_a_prepaid_account_shows_no_second_figure(people: Payers) -> None:
    page = browser(people.owner).get("/accounts/acme/").content.decode()
    assert 'data-money="credit_limit"' not in page
