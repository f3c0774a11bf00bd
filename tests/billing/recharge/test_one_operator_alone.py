"""One operator with all grants tries to move money alone, by puppets of every kind, and fails.

Mallory has the grants operate and finance, and no helper. Each test is one attack, through the
pages that she has; `olga` is an honest finance operator.
"""

from html import unescape
from typing import Any
from uuid import uuid4

import pytest
from django.core import mail
from django.core.exceptions import ValidationError
from django.test import Client

from billing.models import Adjustment, RefundRequest
from billing.money import UNITS
from billing.services import adjustments, refunds
from poolsite.access import mails, services
from poolsite.access.models import AuditEntry, FinanceRequest, User
from tests.access.links import days_pass, operator
from tests.access.mailed import open_mailed
from tests.access.second_factor import give_app
from tests.billing.recharge.money_people import (
    Payers,
    answer,
    browser,
    completed,
    spendable,
    started,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
PASSWORD = "the puppet's password"
MILLION = 1_000_000


@pytest.fixture
def mallory() -> User:
    return operator("mallory", "operate", "finance")


@pytest.fixture
def olga() -> User:
    return operator("olga", "operate", "finance")


def ask(people: Payers, actor: User, amount: int = MILLION) -> Adjustment:
    return adjustments.adjustment_ask(
        people.wallet,
        actor=actor,
        kind="credit",
        amount=amount * UNITS,
        reason="goodwill",
        token=uuid4(),
    )


def invite(actor: User, name: str, *grants: str) -> User:
    """Invite the actor's own mailbox as an operator, and join by the link as another person."""
    form = {"email": f"{name}@example.net", "grants": grants}
    assert browser(actor).post("/operators/invite/", form).status_code == 302
    join = {"username": name, "new_password": PASSWORD, "repeated": PASSWORD}
    client = Client()
    assert client.post(open_mailed(client)["Location"], join).status_code == 302
    return User.objects.get(username=name)


def approve(made: Adjustment, user: User) -> Any:
    return browser(user).post(f"/billing/adjustments/{made.pk}/approve/", follow=True)


def in_vain(people: Payers, made: Adjustment, user: User, why: str = "") -> None:
    """Check that the user's approval is refused and nothing moves.

    With `why`, the page says so first.
    """
    if why:
        page = browser(user).get(f"/billing/adjustments/{made.pk}/").content.decode()
        assert why in unescape(page)
        assert f"{made.pk}/approve/" not in page
    told = approve(made, user)
    assert told.status_code == 403 if not why else why in unescape(told.content.decode())
    made.refresh_from_db()
    assert (made.status, spendable(people.wallet)) == ("waiting", 0)


def believed(user: User, by: User) -> None:
    """Let the honest operator mistake the puppet for a colleague and approve the grant."""
    services.finance_approve(FinanceRequest.objects.get(user=user, status="waiting"), actor=by)


# -- puppets by invitation -------------------------------------------------------------------------


def test_a_puppet_who_is_invited_with_finance_has_no_finance(people: Payers, mallory: User) -> None:
    made = ask(people, mallory)
    puppet = invite(mallory, "puppet", "operate", "finance")
    in_vain(people, made, puppet)
    request = FinanceRequest.objects.get(user=puppet)
    for user in (mallory, puppet):
        browser(user).post(f"/operators/finance/{request.pk}/approve/")
    in_vain(people, made, puppet)


def test_a_puppet_whom_an_honest_operator_took_for_a_colleague_approves_nothing_for_its_maker(
    people: Payers, mallory: User, olga: User
) -> None:
    puppet = invite(mallory, "puppet", "finance")
    believed(puppet, olga)
    in_vain(people, ask(people, mallory), puppet, "mallory gave you a grant on")
    in_vain(people, ask(people, puppet), mallory, "You gave puppet a grant on")
    days_pass(29.9)
    in_vain(people, ask(people, mallory), puppet, "mallory gave you a grant on")


def test_two_puppets_of_one_operator_approve_nothing_for_each_other(
    people: Payers, mallory: User, olga: User
) -> None:
    first, second = (invite(mallory, name, "finance") for name in ("first", "second"))
    for puppet in (first, second):
        believed(puppet, olga)
    in_vain(people, ask(people, first), second, "Your access and first's access both come from")


def test_a_puppet_of_a_puppet_approves_nothing(people: Payers, mallory: User, olga: User) -> None:
    puppet = invite(mallory, "puppet", "operate", "finance")
    believed(puppet, olga)
    other = invite(puppet, "other", "finance")
    services.finance_approve(
        FinanceRequest.objects.get(user=other), actor=operator("omar", "finance")
    )
    in_vain(people, ask(people, mallory), other, "Your access comes indirectly from mallory.")
    in_vain(people, ask(people, other), mallory, "other's access comes indirectly from you.")


def test_a_puppet_who_waited_without_finance_still_needs_a_second_finance_operator(
    people: Payers, mallory: User
) -> None:
    puppet = invite(mallory, "puppet", "operate")
    days_pass(400)
    made = ask(people, mallory)
    form = {"grants": ["operate", "finance"], "reason": "promoted"}
    browser(mallory).post(f"/operators/{puppet.pk}/", form)
    assert FinanceRequest.objects.get(user=puppet).status == "waiting"
    in_vain(people, made, puppet)


def test_the_own_address_is_invited_while_the_grant_is_there_and_accepted_after_it_was_taken(
    people: Payers, mallory: User, olga: User
) -> None:
    form = {"email": mallory.email, "grants": ["finance"]}
    browser(mallory).post("/operators/invite/", form)
    services.grant_set(user=mallory, name="finance", granted=False, actor=olga)
    assert open_mailed(browser(mallory)).status_code == 410
    assert not FinanceRequest.objects.exists()


# -- puppets by a change of grants, roles or history -----------------------------------------------


def test_a_sleeping_operator_whose_log_in_is_known_gets_no_finance_by_a_change_of_grants(
    people: Payers, mallory: User
) -> None:
    sleeper, made = operator("sleeper", "operate"), ask(people, mallory)
    form = {"grants": ["operate", "finance"], "reason": "promoted"}
    browser(mallory).post(f"/operators/{sleeper.pk}/", form)
    with pytest.raises(ValidationError, match="second finance operator"):
        services.grant_set(user=sleeper, name="finance", actor=mallory)
    in_vain(people, made, sleeper)


def test_finance_that_was_taken_is_not_given_back_by_the_history_s_undo(
    people: Payers, mallory: User
) -> None:
    sleeper, made = operator("sleeper", "finance"), ask(people, mallory)
    browser(mallory).post(f"/operators/{sleeper.pk}/", {"grants": [], "reason": "left"})
    days_pass(400)
    taken = AuditEntry.objects.filter(action="access.grant_take").latest("pk")
    page = browser(mallory).post(f"/history/{taken.pk}/undo/", follow=True).content.decode()
    assert "second finance operator" in page
    in_vain(people, made, sleeper)


def test_an_operator_to_whom_the_asker_gave_a_grant_approves_nothing(
    people: Payers, mallory: User, olga: User
) -> None:
    services.grant_set(user=olga, name="operate", granted=False, actor="test")
    form = {"grants": ["operate", "finance"], "reason": "promoted"}
    browser(mallory).post(f"/operators/{olga.pk}/", form)
    in_vain(people, ask(people, mallory), olga, "mallory gave you a grant on")


def test_a_customer_who_is_the_operator_s_own_asks_for_a_refund_in_vain(
    people: Payers, mallory: User, olga: User, settings: Any
) -> None:
    settings.BILLING_FOUR_EYES_ABOVE = MILLION * UNITS
    answer(completed(started(people, 50)))
    people.wallet.__class__.objects.update(spendable=50 * UNITS)
    form = {"email": "puppet@example.net", "role": "agent"}
    browser(mallory).post("/accounts/acme/invite/", form)
    join = {"username": "puppet", "new_password": PASSWORD, "repeated": PASSWORD}
    client = Client()
    client.post(open_mailed(client)["Location"], join)
    puppet = User.objects.get(username="puppet")
    browser(mallory).post(f"/accounts/acme/people/{puppet.pk}/", {"roles": ["payer"]})
    asked = refunds.refund_ask(
        people.wallet, actor=puppet, amount=50 * UNITS, reason="leaving", payout="my bank"
    )
    page = browser(mallory).get(f"/billing/refunds/{asked.pk}/").content.decode()
    assert "You gave puppet a role on" in page
    assert "Accept refund" not in page
    token = str(uuid4())
    browser(mallory).post(
        f"/billing/refunds/{asked.pk}/", {"accept": "1", "reference": "", "token": token}
    )
    with pytest.raises(ValidationError, match="You gave puppet a role"):
        refunds.refund_accept(asked, actor=mallory, reference="", token=uuid4())
    assert RefundRequest.objects.get().status == "open"
    assert spendable(people.wallet) == 50 * UNITS
    assert refunds.refund_accept(asked, actor=olga, reference="", token=uuid4()).pk


# -- puppets by reset mail, reactivation and the second factor -------------------------------------


def test_a_colleague_who_left_is_reactivated_and_entered_by_a_reset_mail_in_vain(
    people: Payers, mallory: User, olga: User
) -> None:
    made = ask(people, mallory)
    services.user_deactivate(user=olga, actor="test", reason="left, the mailbox is Mallory's now")
    browser(mallory).post(f"/users/{olga.pk}/access/", {"reason": "back", "active": "true"})
    assert mails.send_reset(olga.email, "http://testserver")
    entered = Client()
    form = open_mailed(entered)["Location"]
    entered.post(form, {"password1": PASSWORD, "password2": PASSWORD})
    olga.refresh_from_db()
    assert olga.check_password(PASSWORD)
    in_vain(people, made, olga)
    services.grant_set(user=olga, name="finance", actor="manage.py user")
    in_vain(people, made, olga, "mallory reactivated your user on")


def test_no_page_sends_a_colleague_s_reset_mail_to_another_address(
    people: Payers, mallory: User, olga: User
) -> None:
    mine, changed = "mallory@example.net", {"email": "mallory@example.net", "username": "olga"}
    for page in (
        f"/admin/access/user/{olga.pk}/change/",
        f"/operators/{olga.pk}/",
        f"/users/{olga.pk}/access/",
        "/profile/",
    ):
        browser(mallory).post(page, changed)
    assert User.objects.get(pk=olga.pk).email == "olga@example.com"
    assert not mails.send_reset(mine, "http://testserver")
    mails.send_reset("olga@example.com", "http://testserver")
    assert [each.to for each in mail.outbox] == [["olga@example.com"]]


def test_a_colleague_whose_authenticator_app_the_asker_removed_approves_nothing(
    people: Payers, mallory: User, olga: User
) -> None:
    give_app(olga)
    browser(mallory).post(f"/users/{olga.pk}/app/", {"reason": "lost phone"})
    in_vain(people, ask(people, mallory), olga, "mallory removed your authenticator app on")


# -- puppets by token and by the Django admin ------------------------------------------------------


def test_an_api_token_with_all_rights_approves_nothing(
    people: Payers, mallory: User, olga: User
) -> None:
    made = ask(people, mallory)
    form = {"name": "all", "resources": "*", "actions": ["billing.view"], "lifetime": "30"}
    browser(mallory).post("/tokens/new/", form)
    _, secret = services.token_create(name="any", account=None, resources=["*"], actor=mallory)
    puppet = operator("puppet")
    asked = services.finance_ask(user=puppet, actor=mallory, reason="x")
    client = browser(olga)  # whose cookie does not help when a token is sent
    for url in (
        f"/billing/adjustments/{made.pk}/approve/",
        f"/operators/finance/{asked.pk}/approve/",
    ):
        refused = client.post(url, headers={"Authorization": f"Bearer {secret}"})
        assert refused.status_code == 403
    assert (Adjustment.objects.get().status, spendable(people.wallet)) == ("waiting", 0)
    assert FinanceRequest.objects.get().status == "waiting"


def test_the_django_admin_gives_no_grant_makes_no_user_and_approves_nothing(
    people: Payers, mallory: User, olga: User
) -> None:
    made, sleeper = ask(people, mallory), operator("sleeper")
    client = browser(mallory)
    everything = {
        "username": "puppet",
        "email": "puppet@example.net",
        "password": PASSWORD,
        "is_operator": "on",
        "is_superuser": "on",
        "is_active": "on",
        "user": sleeper.pk,
        "name": "finance",
        "status": "applied",
        "decided_by": sleeper.pk,
    }
    before = list(User.objects.order_by("pk").values())
    for path in (
        "access/user/add/",
        f"access/user/{sleeper.pk}/change/",
        f"access/user/{sleeper.pk}/password/",
        "access/grant/add/",
        "access/accesslink/",
        "access/financerequest/add/",
        f"billing/adjustment/{made.pk}/change/",
        "auth/group/add/",
    ):
        refused = client.post(f"/admin/{path}", everything)
        assert refused.status_code in (302, 403, 404), path
    for user in User.objects.order_by("pk").values():
        known = next(each for each in before if each["id"] == user["id"])
        assert {**user, "last_login": None} == {**known, "last_login": None}
    assert sleeper.grants.count() == 0
    assert (Adjustment.objects.get().status, spendable(people.wallet)) == ("waiting", 0)


# -- below the limit, and what honest people can do ------------------------------------------------


def test_an_operator_and_a_puppet_share_one_limit(
    people: Payers, mallory: User, olga: User, settings: Any
) -> None:
    settings.BILLING_FOUR_EYES_ABOVE = 100 * UNITS
    puppet = invite(mallory, "puppet", "finance")
    believed(puppet, olga)
    assert ask(people, mallory, 60).status == "applied"
    assert ask(people, puppet, 41).status == "waiting"
    assert ask(people, puppet, 40).status == "applied"
    independent = operator("ines", "finance")
    assert ask(people, independent, 100).status == "applied"


def test_whoever_is_independent_approves_and_a_new_colleague_does_when_the_time_has_passed(
    people: Payers, mallory: User, olga: User
) -> None:
    colleague = invite(mallory, "colleague", "finance")
    believed(colleague, olga)
    approve(ask(people, mallory, 1), olga)
    assert spendable(people.wallet) == 1 * UNITS
    days_pass(30)
    approve(ask(people, mallory, 2), colleague)
    assert spendable(people.wallet) == 3 * UNITS


def test_an_installation_with_one_finance_operator_is_told_what_to_do(
    people: Payers, mallory: User
) -> None:
    made = ask(people, mallory)
    page = browser(mallory).get(f"/billing/adjustments/{made.pk}/").content.decode()
    assert "No operator can approve it now." in page
    assert "manage.py user create approver --operator --grant finance" in page
    operator("second", "finance")
    page = browser(mallory).get(f"/billing/adjustments/{made.pk}/").content.decode()
    assert "These operators can approve it: second." in page
