"""A stolen session can't change how its owner logs in, and owners are notified of each change."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any
from urllib.parse import quote

import pyotp
import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from poolsite.access import mail_tasks, mails, services
from poolsite.access.factor_state import has_factor
from poolsite.access.models import AuditEntry, Invitation, User
from tests.access.conftest import make_user
from tests.access.world import PASSWORD, World

ENROL = reverse("mfa_activate_totp")
Committed = Callable[..., AbstractContextManager[list[Any]]]


@pytest.fixture
def thief(alice: User) -> Client:
    """A browser that has Alice's cookie, six minutes after her login."""
    hers = Client()
    hers.post("/login/", {"login": "alice", "password": PASSWORD})
    return later(hers)


@pytest.fixture
def operator(world: World, hashed_password: str) -> Client:
    """A browser of an operator who has a password."""
    user = world.users["operate"]
    user.password = hashed_password
    user.save()
    client = Client()
    client.force_login(user)
    return client


def later(client: Client) -> Client:
    """Let six minutes pass since the password was entered."""
    session = client.session
    session["access_started"] -= 360
    session.save()
    return client


def secret_on(page: str) -> str:
    """Return the app's key that a page shows, or "" if it shows none."""
    shown = re.search(r'value="((?:[A-Z2-7]{4} ?){8})"', page)
    return shown[1].replace(" ", "") if shown else ""


def enrol(client: Client) -> str:
    """Set up the app as a person does. Return its secret."""
    secret = secret_on(client.get(ENROL).content.decode())
    client.post(ENROL, {"code": pyotp.TOTP(secret).now()})
    return secret


def confirm(client: Client, password: str, target: str = ENROL) -> Any:
    form = {"password": password, "next": target}
    return client.post(reverse("account_reauthenticate"), form)


def test_a_stolen_session_sets_up_no_app_and_sees_no_secret(alice: User, thief: Client) -> None:
    for answer in (
        thief.get(ENROL, follow=True),
        thief.post(ENROL, {"code": "123456"}, follow=True),
        confirm(thief, "wrong"),
        thief.get(ENROL, follow=True),
    ):
        assert secret_on(answer.content.decode()) == ""
        assert "data:image" not in answer.content.decode()
        assert "Enter your password" in answer.content.decode()
    assert not has_factor(alice)


def test_with_the_password_the_app_is_set_up(alice: User, thief: Client) -> None:
    asked = thief.get(ENROL)
    assert asked["Location"] == f"{reverse('account_reauthenticate')}?next=%2Fsecurity%2Fapp%2F"
    assert confirm(thief, PASSWORD)["Location"] == ENROL
    enrol(thief)
    assert has_factor(alice)


def test_who_has_just_logged_in_is_not_asked_again(alice: User) -> None:
    client = Client()
    client.post("/login/", {"login": "alice", "password": PASSWORD})
    enrol(client)
    assert has_factor(alice)


def test_the_password_cannot_be_guessed_with_a_stolen_session(alice: User, thief: Client) -> None:
    """The two pages that ask for the password share one counter."""
    new = {"password1": "a much better one", "password2": "a much better one"}
    change = reverse("account_change_password")
    for guess in range(3):
        assert "Incorrect password." in confirm(thief, f"guess {guess}").content.decode()
        thief.post(change, {"oldpassword": f"more {guess}", **new})
    assert "Too many attempts" in confirm(thief, PASSWORD).content.decode()
    assert (
        "Too many attempts" in thief.post(change, {"oldpassword": PASSWORD, **new}).content.decode()
    )
    alice.refresh_from_db()
    assert alice.check_password(PASSWORD)
    assert thief.get(ENROL).status_code == 302


def test_a_right_password_forgets_the_wrong_ones(alice: User, thief: Client) -> None:
    for _round in range(3):
        for guess in range(4):
            confirm(thief, f"guess {guess}")
        assert confirm(thief, PASSWORD).status_code == 302


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example/", "/\\evil.example"])
def test_the_password_page_leads_to_this_site_only(thief: Client, target: str) -> None:
    assert confirm(thief, PASSWORD, target)["Location"] == "/"


def test_an_operators_stolen_session_removes_nobodys_app(alice: User, hashed_password: str) -> None:
    olga = make_user("olga", hashed_password)
    olga.is_operator = True
    olga.save()
    services.grant_set(user=olga, name="operate", actor="test")
    hers = Client()
    hers.post("/login/", {"login": "alice", "password": PASSWORD})
    enrol(hers)
    client = Client()
    client.post("/login/", {"login": "olga", "password": PASSWORD})
    page = reverse("access:factor_reset", args=[alice.pk])
    later(client).post(page, {"reason": "lost phone"})
    assert has_factor(alice)
    confirm(client, PASSWORD, page)
    client.post(page, {"reason": "lost phone"})
    assert not has_factor(alice)


@pytest.mark.parametrize(
    "path", ["/tokens/new/", "/operators/invite/", "/accounts/own/invite/", "/operators/%s/"]
)
def test_a_stolen_session_makes_no_other_way_in(operator: Client, world: World, path: str) -> None:
    path = path % world.users["looker"].pk if "%" in path else path
    assert operator.get(path).status_code == 200
    for answer in (later(operator).get(path), operator.post(path, {"email": "a@b.example"})):
        assert answer["Location"].startswith("/security/confirm/password/?next=")


def test_a_stolen_session_lets_nobody_in_again(operator: Client, world: World) -> None:
    looker = world.users["looker"]
    for granted in (True, False):
        services.grant_set(user=looker, name="operate", granted=granted, actor="test")
    undo = f"/history/{AuditEntry.objects.latest('pk').pk}/undo/"
    services.user_deactivate(user=looker, actor="test", reason="left")
    access = f"/users/{looker.pk}/access/"
    form = {"reason": "back", "active": "True"}
    for answer in (later(operator).get(access), operator.post(access, form), operator.post(undo)):
        assert answer["Location"].startswith("/security/confirm/password/?next=")
    looker.refresh_from_db()
    assert not looker.is_active
    assert not looker.grants.exists()


@pytest.mark.parametrize(
    ("form", "back"),
    [("http://testserver/history/", "http://testserver/history/"), ("http://evil.example/", "")],
)
def test_after_the_confirmation_the_page_with_the_form_is_shown(
    operator: Client, world: World, form: str, back: str
) -> None:
    services.grant_set(user=world.users["looker"], name="operate", actor="test")
    undo = f"/history/{AuditEntry.objects.latest('pk').pk}/undo/"
    answer = later(operator).post(undo, headers={"referer": form})
    assert answer["Location"].endswith(f"?next={quote(back or undo, safe='')}")


def test_nobody_removes_the_own_app_as_an_operator(world: World) -> None:
    """Otherwise the code would not be needed."""
    client = world.client("operate")
    secret = enrol(client)
    assert secret
    user = world.users["operate"]
    page = client.post(reverse("access:factor_reset", args=[user.pk]), {"reason": "mine"})
    assert "Ask another operator." in page.content.decode()
    assert has_factor(user)


# -- mails to the owner ---------------------------------------------------------------------


@pytest.fixture
def told(
    alice: User, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Committed
) -> Callable[[], AbstractContextManager[list[str]]]:
    """Return a context manager that collects the sentences mailed to Alice during its block."""
    monkeypatch.setattr(mail_tasks.send_notice_mail, "delay", mail_tasks.send_notice_mail.run)

    @contextmanager
    def telling() -> Iterator[list[str]]:
        mail.outbox.clear()
        sentences: list[str] = []
        with django_capture_on_commit_callbacks(execute=True):
            yield sentences
            assert mail.outbox == []  # nothing before the commit
        for message in mail.outbox:
            assert message.to == ["alice@example.com"]
            sentences.append(message.body.splitlines()[2])

    return telling


def test_the_owner_is_told_of_each_change_to_the_log_in(alice: User, told: Any) -> None:
    client = Client()
    client.force_login(alice)
    with told() as sentences:
        secret = enrol(client)
    assert sentences == ["An authenticator app was added to your login."]
    with told() as sentences:
        page = client.post(reverse("mfa_generate_recovery_codes"), follow=True).content.decode()
    assert sentences == ["New recovery codes replaced your old ones."]
    with told() as sentences:
        codes = re.findall(r"<code>([\d-]{14})</code>", page)
        services.code_use(user=alice, code=codes[0])
    assert sentences == ["One of your recovery codes was used."]
    with told() as sentences:
        for _ in range(5):
            services.code_use(user=alice, code="000000")
    assert sentences == ["Someone entered your password and then several incorrect codes."]
    with told() as sentences:
        services.factors_remove(user=alice, actor="an operator", reason="lost")
    assert sentences == ["Your authenticator app was removed."]
    with told() as sentences:
        services.password_set(user=alice, password="a much better one", actor=alice)
    assert sentences == ["Your password was changed."]
    assert secret


def test_what_did_not_happen_is_not_told(alice: User, told: Any) -> None:
    with told() as sentences:
        services.factors_remove(user=alice, actor=alice)
        entered = Client()
        entered.force_login(alice)
        entered.get(ENROL)
        services.code_use(user=alice, code="000000")
    assert sentences == []


def test_the_mail_says_when_and_from_where_in_the_owners_language_and_zone(
    alice: User, told: Any
) -> None:
    services.profile_change(user=alice, actor=alice, zone="America/New_York", locale="zh-hans")
    mails.send_notice(alice.pk, "access.password_set", 1_763_700_000_000_000, "192.0.2.7")
    message = mail.outbox[-1]
    assert "2025年11月20日 23:40 EST" in message.body
    assert "192.0.2.7" in message.body
    assert "\n" not in message.subject


def test_the_address_is_that_of_the_request(alice: User, told: Any) -> None:
    client = Client(REMOTE_ADDR="192.0.2.9")
    client.force_login(alice)
    with told():
        enrol(client)
    assert "192.0.2.9" in mail.outbox[0].body


def test_a_user_without_an_address_is_not_told(alice: User, told: Any) -> None:
    alice.email = ""
    alice.save()
    with told() as sentences:
        services.password_set(user=alice, password="a much better one", actor=alice)
    assert sentences == []
    assert not mails.send_notice(alice.pk, "access.password_set", 1, "")


def test_a_broker_that_takes_no_mail_undoes_nothing(
    alice: User, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Committed
) -> None:
    def refuse(*_given: Any) -> None:
        raise OSError("the broker is away")

    monkeypatch.setattr(mail_tasks.send_notice_mail, "delay", refuse)
    client = Client()
    client.force_login(alice)
    with django_capture_on_commit_callbacks(execute=True):
        enrol(client)
    assert has_factor(alice)
    assert client.get(reverse("mfa_index")).status_code == 200


def test_every_notice_belongs_to_an_action_of_the_audit_log(alice: User) -> None:
    """Each notice can also be rendered."""
    for action in mails.NOTICES:
        assert mails.send_notice(alice.pk, action, int(time.time() * 1e6), "")
    assert len({message.body for message in mail.outbox}) == len(mails.NOTICES)


def test_a_form_that_a_thief_sends_is_not_taken_when_the_owner_confirms(
    operator: Client,
) -> None:
    page = reverse("access:operator_invite")
    planted = later(operator).post(page, {"email": "thief@example.com"})
    assert (
        planted["Location"] == f"{reverse('account_reauthenticate')}?next=%2Foperators%2Finvite%2F"
    )
    operator.get(page)  # the owner, in the same session
    assert confirm(operator, PASSWORD, page)["Location"] == page
    assert not Invitation.objects.exists()
