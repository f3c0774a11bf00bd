"""Granting and revoking promotional credit: permissions, the service, the pages, the API."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from billing.models import Adjustment, Promotion
from billing.money import UNITS
from billing.services import adjustments, refunds
from billing.services.days import zone_of
from billing.services.promotions import promotion_revoke
from poolsite import access
from poolsite.access.models import AuditEntry, User
from tests.billing.recharge.money_people import Payers, browser, figures, operator, payers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
PAGE = "/billing/accounts/acme/promotions/"
API = "/api/v1/accounts/acme/promotions"


@pytest.fixture
def omar() -> User:
    return operator("omar", "finance")


def ask(people: Payers, actor: Any, amount: int = 50, days: float = 30, **more: Any) -> Adjustment:
    given = {
        "kind": "grant",
        "amount": amount * UNITS,
        "reason": "spring",
        "token": uuid4(),
        "expires_at": timezone.now() + timedelta(days=days),
        **more,
    }
    return adjustments.adjustment_ask(people.wallet, actor=actor, **given)


def promotional(people: Payers) -> int:
    return figures(people.wallet).promotional // UNITS


def test_a_grant_waits_for_another_operator(people: Payers, olga: User, omar: User) -> None:
    asked = ask(people, olga)
    assert (asked.status, promotional(people)) == ("waiting", 0)
    assert not Promotion.objects.exists()
    adjustments.adjustment_approve(asked, actor=omar)
    assert promotional(people) == 50
    found = Promotion.objects.get()
    assert (found.amount, found.reason, found.granted_by) == (50 * UNITS, "spring", "olga")


def test_a_small_one_is_granted_by_one(people: Payers, olga: User, settings: Any) -> None:
    settings.BILLING_FOUR_EYES_ABOVE = 60 * UNITS
    assert ask(people, olga).status == "applied"
    assert ask(people, olga, 11).status == "waiting"
    assert promotional(people) == 50


@pytest.mark.parametrize(
    "more",
    [
        {"expires_at": None},
        {"days": -1},
        {"days": 3_000},
        {"amount": 0},
        {"reason": " "},
        {"kind": "credit"},
    ],
)
def test_what_is_no_grant_changes_nothing(people: Payers, olga: User, more: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ask(people, olga, **more)
    assert not Adjustment.objects.exists()


def test_a_grant_whose_time_is_over_is_not_approved(people: Payers, olga: User, omar: User) -> None:
    asked = ask(people, olga)
    Adjustment.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    with pytest.raises(ValidationError):
        adjustments.adjustment_approve(asked, actor=omar)
    assert not Promotion.objects.exists()


def test_an_account_has_twenty_at_most(people: Payers, olga: User, settings: Any) -> None:
    settings.BILLING_FOUR_EYES_ABOVE = 10_000 * UNITS
    for _ in range(20):
        ask(people, olga, 1)
    with pytest.raises(ValidationError, match="20 promotional credits"):
        ask(people, olga, 1)
    promotion_revoke(Promotion.objects.latest("pk"), actor=olga, reason="room")
    ask(people, olga, 1)
    assert promotional(people) == 20


def test_only_operators_with_the_grant_give_and_take(
    people: Payers, olga: User, settings: Any
) -> None:
    settings.BILLING_FOUR_EYES_ABOVE = 1_000 * UNITS
    ask(people, olga)
    found = Promotion.objects.get()
    for actor in (people.owner, operator("looker"), operator("oz", "operate")):
        with pytest.raises(access.Forbidden):
            ask(people, actor)
        with pytest.raises(access.Forbidden):
            promotion_revoke(found, actor=actor, reason="x")
    assert promotional(people) == 50
    promotion_revoke(found, actor=olga, reason="mistake")
    assert promotional(people) == 0
    entry = AuditEntry.objects.latest("pk")
    assert (entry.action, entry.reason) == ("billing.promotion_revoke", "mistake")


def test_it_is_never_paid_out(people: Payers, olga: User, settings: Any) -> None:
    settings.BILLING_FOUR_EYES_ABOVE = 1_000 * UNITS
    ask(people, olga)
    with pytest.raises(ValidationError, match=r"Only 0\.0000"):
        adjustments.adjustment_ask(
            people.wallet, actor=olga, kind="cash_refund", amount=1, reason="x", token=uuid4()
        )
    with pytest.raises(ValidationError, match="more than the balance"):
        refunds.refund_ask(people.wallet, actor=people.owner, amount=1, reason="x", payout="b")


# -- pages -----------------------------------------------------------------------------------------


def send(client: Any, **more: str) -> Any:
    day = f"{timezone.now() + timedelta(days=40):%Y-%m-%d}"
    given = {"amount": "50", "expires_on": day, "reason": "spring", "token": str(uuid4()), **more}
    return client.post(PAGE, given)


def test_the_page_grants_shows_and_revokes(
    people: Payers, olga: User, omar: User, settings: Any
) -> None:
    settings.BILLING_FOUR_EYES_ABOVE = 1_000 * UNITS
    client = browser(olga)
    assert "No promotional credit yet" in client.get(PAGE).content.decode()
    assert send(client).status_code == 302
    found = Promotion.objects.get()
    assert f"{found.expires_at.astimezone(zone_of(people.wallet.account)):%H:%M}" == "23:59"
    shown = browser(people.owner).get("/accounts/acme/").content.decode()
    assert "used first, ends on" in shown
    assert "¥50.00" in shown
    assert 'data-money="promotional"' in client.get("/billing/accounts/acme/").content.decode()
    way = f"/billing/promotions/{found.pk}/revoke/"
    assert browser(people.owner).post(way, {"reason": "x"}).status_code in (403, 404)
    client.post(way, {"reason": ""})
    assert promotional(people) == 50
    client.post(way, {"reason": "mistake"})
    assert promotional(people) == 0
    assert "used first" not in browser(people.owner).get("/accounts/acme/").content.decode()


@pytest.mark.parametrize(
    "bad",
    [
        {"amount": ""},
        {"amount": "-1"},
        {"expires_on": ""},
        {"expires_on": "2020-01-01"},
        {"expires_on": "9999-12-31"},
        {"expires_on": "0001-01-01"},
        {"reason": ""},
    ],
)
def test_a_bad_form_changes_nothing(people: Payers, olga: User, bad: dict[str, str]) -> None:
    assert send(browser(olga), **bad).status_code == 422
    assert not Adjustment.objects.exists()


# -- API -------------------------------------------------------------------------------------------


def call(user: User, method: str, url: str, body: Any = None) -> tuple[int, Any]:
    client = browser(user)
    if method == "get":
        answer = client.get(url, body or {})
    else:
        answer = client.post(url, body or {}, content_type="application/json")
    return answer.status_code, answer.json()


def test_the_api_grants_lists_and_revokes(
    people: Payers, olga: User, omar: User, settings: Any
) -> None:
    ends = (timezone.now() + timedelta(days=9)).isoformat()
    given = {"amount": "50", "expires_at": ends, "reason": "spring"}
    status, told = call(olga, "post", API, given)
    assert (status, told["promotion"], told["adjustment"]["state"]) == (201, None, "waiting")
    way = f"/api/v1/accounts/acme/adjustments/{told['adjustment']['id']}/approve"
    assert call(omar, "post", way)[0] == 200
    status, listed = call(people.owner, "get", API)
    (row,) = listed["data"]
    assert (row["amount"], row["state"], row["granted_by"]) == ("50.0000", "waiting", "olga")
    _, account = call(people.owner, "get", "/api/v1/accounts/acme")
    assert (account["balance"], account["promotional"]) == ("50.0000", "50.0000")
    revoke = f"{API}/{row['id']}/revoke"
    assert call(people.owner, "post", revoke, {"reason": "x"})[0] == 403
    assert call(olga, "post", revoke, {})[0] == 422
    status, told = call(olga, "post", revoke, {"reason": "mistake"})
    assert (status, told["state"], told["revoked_by"]) == (200, "revoked", "olga")
    assert (
        call(olga, "post", f"{API}/999/revoke", {"reason": "x"})[1]["type"] == "unknown-promotion"
    )
    for bad in (
        {"amount": "-1"},
        {"expires_at": "soon"},
        {"odd": 1},
        {"expires_at": "2020-01-01T00:00:00Z"},
    ):
        assert call(olga, "post", API, {**given, **bad})[0] == 422
    stranger = payers("other").owner
    assert call(stranger, "get", API)[0] == 404


def test_the_page_leads_to_every_credit(people: Payers, olga: User, settings: Any) -> None:
    settings.BILLING_FOUR_EYES_ABOVE = 1_000 * UNITS
    for number in range(26):
        found = Promotion.objects.create(
            wallet=people.wallet,
            amount=UNITS,
            expires_at=timezone.now() + timedelta(days=9),
            reason=f"reason {number}",
            granted_by="olga",
            operation_id=f"adjust:{number}",
        )
    client = browser(olga)
    first = client.get(PAGE)
    assert found.reason in first.content.decode()
    assert len(first.context["rows"]) == 25
    second = client.get(PAGE + first.context["next_url"])
    assert [row["promotion"].reason for row in second.context["rows"]] == ["reason 0"]
    assert (second.context["next_url"], second.context["shown"]) == ("", "26 to 26 of 26")
