"""A finance grant takes two operators: one requests it, another approves it on its page."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.test import Client
from pytest_django import Settings

from poolsite import access
from poolsite.access import principal_of_user, services
from poolsite.access.models import AccessLink, AuditEntry, FinanceRequest, Grant, User
from poolsite.console import undoing
from tests.access.links import days_pass, operator
from tests.access.mailed import open_mailed
from tests.access.second_factor import give_app

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_redis")]
JOIN = {
    "username": "nina",
    "new_password": "a password of her own",
    "repeated": "a password of her own",
}


@pytest.fixture(autouse=True)
def _without_factor(settings: Settings) -> None:
    settings.SECOND_FACTOR_FOR_MONEY = False


@pytest.fixture
def asker() -> User:
    return operator("asker", "operate", "finance", "supervise")


@pytest.fixture
def second() -> User:
    return operator("second", "finance")


@pytest.fixture
def nina() -> User:
    return operator("nina", "operate")


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def has_finance(user: User) -> bool:
    return Grant.objects.filter(user=user, name="finance", thing="").exists()


def asked(user: User, asker: User) -> FinanceRequest:
    return services.finance_ask(user=user, actor=asker, reason="joins the finance team")


def page(user: User, request: FinanceRequest) -> str:
    return browser(user).get(f"/operators/finance/{request.pk}/").content.decode()


def approve(user: User, request: FinanceRequest) -> Any:
    return browser(user).post(f"/operators/finance/{request.pk}/approve/", follow=True)


def test_finance_that_is_ticked_waits_and_counts_once_another_operator_approves(
    asker: User, second: User, nina: User
) -> None:
    form = {"grants": ["operate", "finance", "supervise"], "reason": "joins the finance team"}
    saved = browser(asker).post(f"/operators/{nina.pk}/", form, follow=True).content.decode()
    assert "waiting for approval by another finance operator" in saved
    assert set(nina.grants.values_list("name", flat=True)) == {"operate", "supervise"}
    request = FinanceRequest.objects.get()
    link = f"/operators/finance/{request.pk}/"
    assert link in browser(second).get("/operators/").content.decode()
    assert link in browser(asker).get(f"/operators/{nina.pk}/").content.decode()
    told = page(second, request)
    assert "joins the finance team" in told
    assert "nina@example.com" in told
    assert "Request approved." in approve(second, request).content.decode()
    assert has_finance(nina)
    assert link not in browser(second).get("/operators/").content.decode()
    request.refresh_from_db()
    assert (request.status, request.decided_by) == ("approved", second)
    links = AccessLink.objects.filter(receiver=nina, how="granted")
    assert set(links.values_list("giver", flat=True)) == {asker.pk, second.pk}


def test_an_invited_person_joins_without_finance_which_waits(asker: User, second: User) -> None:
    form = {"email": "new@example.com", "grants": ["operate", "finance"]}
    assert browser(asker).post("/operators/invite/", form).status_code == 302
    client = Client()
    told = client.post(open_mailed(client)["Location"], JOIN, follow=True).content.decode()
    assert "Your Finance grant is waiting for approval" in told
    nina = User.objects.get(username="nina")
    assert list(nina.grants.values_list("name", flat=True)) == ["operate"]
    request = FinanceRequest.objects.get(user=nina)
    assert request.asked_by == asker
    assert "Invited by" in page(second, request)
    services.finance_approve(request, actor=second)
    assert has_finance(nina)


def test_who_asked_sees_who_can_approve_and_what_to_do_without_anybody(
    asker: User, second: User, nina: User
) -> None:
    request = asked(nina, asker)
    told = page(asker, request)
    assert "These operators can approve it: second." in told
    assert f"{request.pk}/approve/" not in told
    services.user_deactivate(user=second, actor="test", reason="left")
    told = page(asker, request)
    assert "No operator can approve it now." in told
    assert "manage.py user create approver --operator --grant finance" in told


def test_only_another_independent_finance_operator_approves(
    asker: User, second: User, nina: User
) -> None:
    request = asked(nina, asker)
    for user, why in (
        (asker, "Another finance operator must approve it."),
        (operator("looker", "operate"), "Only operators with the Finance grant"),
    ):
        assert why in page(user, request)
        assert f"{request.pk}/approve/" not in page(user, request)
        approve(user, request)
    with pytest.raises(access.Forbidden):
        services.finance_approve(request, actor=nina)
    with pytest.raises(access.Forbidden):
        services.finance_approve(request, actor="a sweep")
    AccessLink.objects.create(giver=asker, receiver=second, how="reactivated")
    assert "asker reactivated your user on" in page(second, request)
    assert "asker reactivated your user on" in approve(second, request).content.decode()
    assert not has_finance(nina)
    days_pass(30)
    assert f"{request.pk}/approve/" in page(second, request)
    services.finance_approve(request, actor=second)
    assert has_finance(nina)


@pytest.mark.parametrize("change", [{"decided_by": "asker"}, {"decided_by": "user"}, {}])
def test_the_table_takes_no_approval_by_one_person(
    asker: User, nina: User, change: dict[str, str]
) -> None:
    request = asked(nina, asker)
    people = {"asker": asker, "user": nina}
    request.status = "approved"
    request.decided_by = people.get(change.get("decided_by", ""))
    with pytest.raises(IntegrityError), transaction.atomic():
        request.save()
    with pytest.raises(IntegrityError), transaction.atomic():
        FinanceRequest.objects.create(user=asker, asked_by=asker, reason="x")


def test_nobody_asks_for_what_is_not_to_be_given(asker: User, second: User, nina: User) -> None:
    poor, member = operator("poor", "operate"), services.user_create(username="m", actor="test")
    gone = operator("gone")
    services.user_deactivate(user=gone, actor="test", reason="left")
    asked(nina, asker)
    for user, actor, why in (
        (asker, asker, "You can't change your own grants. Ask another operator."),
        (operator("late"), poor, "You can only give grants that you have."),
        (member, asker, "Only active operators"),
        (gone, asker, "Only active operators"),
        (second, asker, "already has the Finance grant"),
        (nina, asker, "already waiting"),
    ):
        with pytest.raises(ValidationError, match=why):
            asked(user, actor)
    with pytest.raises(access.Forbidden):
        asked(operator("later"), second)
    with pytest.raises(ValidationError):
        services.finance_ask(user=operator("last"), actor=asker, reason=" ")
    assert FinanceRequest.objects.count() == 1


@pytest.mark.parametrize("loss", ["operate", "finance", "deactivated", "left"])
def test_what_was_asked_for_by_or_for_somebody_who_is_gone_is_not_approved(
    asker: User, second: User, nina: User, loss: str
) -> None:
    request = asked(nina, asker)
    if loss in ("operate", "finance"):
        services.grant_set(user=asker, name=loss, granted=False, actor="test")
    else:
        user = asker if loss == "deactivated" else nina
        services.user_deactivate(user=user, actor="test", reason="left")
    with pytest.raises(ValidationError, match="Reject the request"):
        services.finance_approve(request, actor=second)
    assert not has_finance(nina)


def test_a_request_is_rejected_by_another_and_withdrawn_by_its_asker(
    asker: User, second: User, nina: User
) -> None:
    first = asked(nina, asker)
    url = f"/operators/finance/{first.pk}/reject/"
    assert browser(second).post(url, {"reason": ""}).status_code == 422
    browser(second).post(url, {"reason": "I do not know her"})
    first.refresh_from_db()
    assert (first.status, first.decision_reason) == ("rejected", "I do not know her")
    with pytest.raises(ValidationError, match="already made"):
        services.finance_approve(first, actor=second)
    own = services.finance_reject(asked(nina, asker), actor=asker, reason="a mistake")
    assert own.status == "withdrawn"
    assert not has_finance(nina)


def test_the_history_tells_it_and_takes_none_of_it_back(
    asker: User, second: User, nina: User
) -> None:
    request = asked(nina, asker)
    reader = principal_of_user(asker)

    def standing(action: str) -> undoing.UndoOffer:
        return undoing.standing(reader, AuditEntry.objects.filter(action=action).latest("pk"))

    told = browser(asker).get("/history/").content.decode()
    assert "requested the Finance grant for" in told
    assert standing("access.finance_ask").why_not == "Withdraw or reject the request on its page."
    services.finance_approve(request, actor=second, reason="known to me")
    told = browser(asker).get("/history/").content.decode()
    assert "approved the Finance grant for" in told
    assert standing("access.finance_ask") == undoing.UndoOffer()
    assert standing("access.finance_approve").why_not == "Remove the grant on the operator's page."
    services.grant_set(user=nina, name="finance", granted=False, actor=asker)
    services.finance_reject(asked(nina, asker), actor=second, reason="no")
    assert standing("access.finance_reject").why_not == "Request the grant again."
    assert "rejected the Finance grant for" in browser(asker).get("/history/").content.decode()


def test_approval_asks_for_a_fresh_second_factor(
    asker: User, second: User, nina: User, settings: Settings
) -> None:
    settings.SECOND_FACTOR_FOR_MONEY = True
    give_app(second)
    request = asked(nina, asker)
    assert f"/security/confirm/?next=%2Foperators%2Ffinance%2F{request.pk}%2F" in page(
        second, request
    )
    answer = browser(second).post(f"/operators/finance/{request.pk}/approve/")
    assert answer["Location"].startswith("/security/confirm/")
    assert not has_finance(nina)


def test_who_is_reactivated_comes_back_without_finance(asker: User, second: User) -> None:
    services.user_deactivate(user=second, actor=asker, reason="on leave")
    url = f"/users/{second.pk}/access/"
    assert "The Finance grant will be removed." in browser(asker).get(url).content.decode()
    browser(asker).post(url, {"reason": "back", "active": "true"})
    second.refresh_from_db()
    assert second.is_active
    assert not has_finance(second)
    services.user_activate(user=asker, actor=second)
    assert has_finance(asker), "who was not away keeps it"


def test_a_superuser_who_is_reactivated_is_one_no_more(asker: User, second: User) -> None:
    User.objects.filter(pk=second.pk).update(is_superuser=True, is_active=False)
    services.user_activate(user=second, actor=asker)
    second.refresh_from_db()
    assert (second.is_superuser, second.is_operator) == (False, True)
    assert "finance" not in principal_of_user(second).grants
