"""People join through a mailed link, and set new passwords through one."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from poolsite.access import mail_tasks, mails, services
from poolsite.access.models import Grant, Invitation, Membership, User
from tests.access.mailed import open_link
from tests.access.world import PASSWORD, World


def invite(world: World, reader: str = "owner", **fields: str) -> Any:
    form = {"email": "nina@example.com", "role": "agent", **fields}
    return world.client(reader).post("/accounts/own/invite/", form)


def link_in_mail() -> str:
    found = re.search(r"http://testserver(/\S+)", str(mail.outbox[-1].body))
    assert found is not None
    return found[1]


def opened(link: str, client: Client | None = None) -> Client:
    """Return a client that has opened the link as the page's script does."""
    client = client or Client()
    assert open_link(client, f"http://testserver{link}").status_code in (302, 410)
    return client


ACCEPT = "/join/accept/"
JOIN = {
    "username": "nina",
    "full_name": "Nina Hu",
    "new_password": "a password of her own",
    "repeated": "a password of her own",
}


def test_an_invited_person_joins_with_the_role_and_is_logged_in(world: World) -> None:
    assert invite(world).status_code == 302
    assert mail.outbox[0].to == ["nina@example.com"]
    assert "Own" in mail.outbox[0].body
    client = opened(link_in_mail())
    assert "nina@example.com" in client.get(ACCEPT).content.decode()
    assert client.post(ACCEPT, JOIN).status_code == 302
    user = User.objects.get(username="nina")
    membership = Membership.objects.get(user=user)
    assert (membership.account, membership.role) == (world.own, "agent")
    assert (user.email, user.first_name, user.is_operator) == ("nina@example.com", "Nina", False)
    assert client.get("/profile/").status_code == 200


def test_a_link_works_once(world: World) -> None:
    invite(world)
    link = link_in_mail()
    late = opened(link)
    assert opened(link).post(ACCEPT, JOIN).status_code == 302
    second = {**JOIN, "username": "thief"}
    for client in (late, opened(link)):
        assert client.get(ACCEPT).status_code == 410
        assert client.post(ACCEPT, second).status_code == 410
    assert not User.objects.filter(username="thief").exists()


def test_a_link_that_two_opened_serves_the_first(world: World) -> None:
    first, second = world.users["sender"], world.users["payer"]
    invite(world)
    secret = link_in_mail().partition("#")[2]
    services.invitation_accept(secret=secret, user=first)
    with pytest.raises(ValidationError, match="no longer valid"):
        services.invitation_accept(secret=secret, user=second)
    assert not Membership.objects.filter(user=second, role="agent").exists()


@pytest.mark.parametrize(
    "change",
    [
        {"expires_at": timezone.now() - timedelta(seconds=1)},
        {"withdrawn_at": timezone.now()},
    ],
)
def test_an_expired_or_withdrawn_link_is_refused(world: World, change: dict[str, Any]) -> None:
    invite(world)
    before = opened(link_in_mail())
    Invitation.objects.update(**change)
    for client in (before, opened(link_in_mail())):
        assert client.post(ACCEPT, JOIN).status_code == 410
    assert not User.objects.filter(username="nina").exists()


def test_a_newer_invitation_replaces_the_older_one(world: World) -> None:
    invite(world)
    old = link_in_mail()
    invite(world, role="sender")
    assert opened(old).get(ACCEPT).status_code == 410
    assert opened(link_in_mail()).get(ACCEPT).status_code == 200


@pytest.mark.parametrize(
    "fields",
    [
        {"username": "owner"},
        {"username": "with@sign"},
        {"new_password": "short", "repeated": "short"},
        {"repeated": "different"},
        {
            "username": "nina-pass-word",
            "new_password": "nina-pass-word",
            "repeated": "nina-pass-word",
        },
    ],
)
def test_a_bad_name_or_password_joins_nobody_and_keeps_the_link(
    world: World, fields: dict[str, str]
) -> None:
    invite(world)
    link, users = link_in_mail(), User.objects.count()
    client = opened(link)
    assert client.post(ACCEPT, {**JOIN, **fields}).status_code == 200
    assert User.objects.count() == users
    assert client.post(ACCEPT, JOIN).status_code == 302


def test_who_has_a_user_already_joins_by_logging_in(world: World) -> None:
    known = world.users["roleless"]
    known.set_password(PASSWORD)
    known.save()
    invite(world, email=known.email.upper(), role="payer")
    link = link_in_mail()
    client = opened(link)
    assert "Log in to join" in client.get(ACCEPT).content.decode()
    agent = opened(link, world.client("agent"))
    assert "Log in to join" in agent.get(ACCEPT).content.decode()
    agent.post(ACCEPT)
    assert client.post(ACCEPT, JOIN).status_code == 200
    assert not Membership.objects.filter(user=known).exists()
    asked = {"login": known.username, "password": PASSWORD, "next": ACCEPT}
    assert client.post("/login/", asked)["Location"] == ACCEPT
    assert client.post(ACCEPT).status_code == 302
    assert Membership.objects.get(user=known).role == "payer"


def test_a_new_role_is_added_to_those_that_one_has(world: World) -> None:
    invite(world, email="agent@example.com", role="sender")
    opened(link_in_mail(), world.client("agent")).post(ACCEPT)
    roles = Membership.objects.filter(user=world.users["agent"]).values_list("role", flat=True)
    assert set(roles) == {"agent", "sender"}


def test_an_operator_is_invited_with_grants(world: World) -> None:
    form = {"email": "nina@example.com", "grants": ["operate"]}
    assert world.client("operate").post("/operators/invite/", form).status_code == 302
    opened(link_in_mail()).post(ACCEPT, JOIN)
    user = User.objects.get(username="nina")
    assert user.is_operator
    assert list(Grant.objects.filter(user=user).values_list("name", "thing")) == [("operate", "")]


def test_an_administrator_invites_no_owner(world: World) -> None:
    assert invite(world, "admin", role="owner").status_code == 422
    assert mail.outbox == []
    assert invite(world, "admin", role="agent").status_code == 302


def test_a_mail_that_cannot_be_sent_is_said_and_the_invitation_stands(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_args: Any, **_options: Any) -> int:
        raise ConnectionRefusedError

    monkeypatch.setattr(mails, "send_mail", broken)
    client = world.client("owner")
    form = {"email": "nina@example.com", "role": "agent"}
    page = client.post("/accounts/own/invite/", form, follow=True).content.decode()
    assert "The email couldn&#x27;t be sent." in page
    assert Invitation.objects.get().is_open


@pytest.mark.parametrize(
    "fields",
    [{"role": "king"}, {"role": ""}, {"email": "nobody"}, {"role": "agent", "grants": ["operate"]}],
)
def test_a_bad_invitation_is_not_made(world: World, fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        services.invitation_create(
            **{"email": "x@example.com", "role": "agent", **fields},
            account=world.own,
            actor="test",
        )
    assert not Invitation.objects.exists()


def test_the_secret_of_a_link_is_stored_as_a_hash(world: World) -> None:
    invite(world)
    secret = link_in_mail().partition("#")[2]
    assert secret not in str(Invitation.objects.values().get())


@pytest.mark.parametrize(
    "path", ["/join/", ACCEPT, "/password/reset/link/", "/password/reset/new/1-set-password/"]
)
def test_the_pages_of_mailed_links_are_kept_by_nobody(world: World, path: str) -> None:
    """Their URLs contain no secret, so a Referer can't disclose one either.

    The policy stays same-origin: with no-referrer, browsers send `Origin: null`, and no form would
    be accepted.
    """
    answer = Client().get(path)
    assert "no-store" in answer["Cache-Control"]
    assert answer["Referrer-Policy"] == "same-origin"


def test_no_address_of_the_walk_holds_the_secret(world: World, alice: User) -> None:
    invite(world)
    joining, secret = link_in_mail(), link_in_mail().partition("#")[2]
    client = opened(joining)
    moved = client.post("/join/", {"link": joining})
    assert secret not in moved["Location"]
    assert secret not in client.get(moved["Location"]).content.decode()
    mails.send_reset("alice@example.com", "http://testserver")
    resetting, secret = link_in_mail(), link_in_mail().partition("#")[2]
    moved = client.post("/password/reset/link/", {"link": resetting})
    assert secret not in moved["Location"]
    assert secret not in client.get(moved["Location"]).content.decode()


def test_links_cannot_be_tried_without_end(world: World) -> None:
    posted = ({"link": f"/join/#psi_guess{n}"} for n in range(62))
    statuses = [Client().post("/join/", each).status_code for each in posted]
    assert statuses[0] == 410
    assert statuses[-1] == 429


# -- a new password by mail ----------------------------------------------------------------


def opened_form(link: str) -> tuple[Client, str]:
    """Return a browser that has opened the link, and the URL of its form for a new password."""
    client = Client()
    return client, client.post("/password/reset/link/", {"link": link})["Location"]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The mails that the worker is asked to send."""
    asked: list[tuple[str, str]] = []
    monkeypatch.setattr(mail_tasks.send_reset_mail, "delay", lambda *args: asked.append(args))
    return asked


def ask(email: str, **meta: Any) -> Any:
    return Client().post("/password/reset/", {"email": email}, **meta)


def test_asking_answers_alike_and_leaves_the_look_up_to_the_worker(
    alice: User, sent: list[tuple[str, str]], django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(0):
        known, unknown = ask("alice@example.com"), ask("nobody@example.com")
    assert known["Location"] == unknown["Location"] == "/password/reset/sent/"
    assert [email for email, _site in sent] == ["alice@example.com", "nobody@example.com"]


def test_the_worker_mails_users_who_exist_and_are_active(alice: User, bob: User) -> None:
    services.user_deactivate(user=bob, actor="test", reason="left")
    assert mails.send_reset("ALICE@example.com", "http://testserver")
    assert not mails.send_reset("bob@example.com", "http://testserver")
    assert not mails.send_reset("nobody@example.com", "http://testserver")
    assert not mails.send_reset("alice", "http://testserver")
    assert [message.to for message in mail.outbox] == [["alice@example.com"]]


NEW = {"password1": "a much better one", "password2": "a much better one"}


def test_the_link_sets_a_password_once_and_ends_every_session(alice: User) -> None:
    other = Client()
    other.force_login(alice)
    mails.send_reset("alice@example.com", "http://testserver")
    link = link_in_mail()
    client, form = opened_form(link)
    assert client.post(form, NEW, follow=True).redirect_chain[-1][0] == "/login/"
    alice.refresh_from_db()
    assert alice.check_password("a much better one")
    assert other.get("/profile/").status_code == 302
    assert client.get("/profile/").status_code == 302
    for late in (client, opened_form(link)[0]):
        for answer in (late.get(form), late.post(form, NEW)):
            assert "This link no longer works" in answer.content.decode()


def test_a_bad_or_changed_link_is_refused(alice: User) -> None:
    mails.send_reset("alice@example.com", "http://testserver")
    link = link_in_mail()
    page, _hash, secret = link.partition("#")
    uid, _dash, token = secret.partition("-")
    for bad in (f"{uid}-{token[:-1]}x", f"x{secret}", f"{uid}-", f"-{token}", "1-set", "\x00", ""):
        client = Client()
        form = client.post(page, {"link": f"#{bad}"})["Location"]
        for answer in (client.get(form), client.post(form, NEW)):
            assert "This link no longer works" in answer.content.decode()
    alice.refresh_from_db()
    assert alice.check_password(PASSWORD)


def test_mails_are_limited_by_address_and_by_client(
    alice: User, sent: list[tuple[str, str]]
) -> None:
    for _ in range(5):
        assert ask("alice@example.com").status_code == 302
    assert len(sent) == 3
    statuses = [ask(f"n{n}@example.com", REMOTE_ADDR="192.0.2.4").status_code for n in range(21)]
    assert statuses == [302] * 20 + [429]


def test_the_mail_speaks_the_users_language(alice: User) -> None:
    services.profile_change(user=alice, actor=alice, locale="zh-hans")
    alice.refresh_from_db()
    assert mails.send_reset("alice@example.com", "http://testserver")
    assert "http://testserver/password/reset/link/#" in mail.outbox[0].body
    assert "\n" not in mail.outbox[0].subject
