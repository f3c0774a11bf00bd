"""People join by a mailed link, and get new passwords by one."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from poolsite.access import mails, services, tasks
from poolsite.access.models import Grant, Invitation, Membership, User
from tests.access.world import PASSWORD, World


def invite(world: World, reader: str = "owner", **fields: str) -> Any:
    form = {"email": "nina@example.com", "role": "agent", **fields}
    return world.client(reader).post("/accounts/own/invite/", form)


def link_in_mail() -> str:
    found = re.search(r"http://testserver(/\S+)", str(mail.outbox[-1].body))
    assert found is not None
    return found[1]


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
    client, link = Client(), link_in_mail()
    assert "nina@example.com" in client.get(link).content.decode()
    assert client.post(link, JOIN).status_code == 302
    user = User.objects.get(username="nina")
    membership = Membership.objects.get(user=user)
    assert (membership.account, membership.role) == (world.own, "agent")
    assert (user.email, user.first_name, user.is_operator) == ("nina@example.com", "Nina", False)
    assert client.get("/profile/").status_code == 200


def test_a_link_works_once(world: World) -> None:
    invite(world)
    link = link_in_mail()
    assert Client().post(link, JOIN).status_code == 302
    second = {**JOIN, "username": "thief"}
    assert Client().get(link).status_code == 410
    assert Client().post(link, second).status_code == 410
    assert not User.objects.filter(username="thief").exists()


def test_a_link_that_two_opened_serves_the_first(world: World) -> None:
    first, second = world.users["sender"], world.users["payer"]
    invite(world)
    secret = link_in_mail().strip("/").rpartition("/")[2]
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
    Invitation.objects.update(**change)
    assert Client().post(link_in_mail(), JOIN).status_code == 410
    assert not User.objects.filter(username="nina").exists()


def test_a_newer_invitation_replaces_the_older_one(world: World) -> None:
    invite(world)
    old = link_in_mail()
    invite(world, role="sender")
    assert Client().get(old).status_code == 410
    assert Client().get(link_in_mail()).status_code == 200


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
    assert Client().post(link, {**JOIN, **fields}).status_code == 200
    assert User.objects.count() == users
    assert Client().post(link, JOIN).status_code == 302


def test_who_has_a_user_already_joins_by_logging_in(world: World) -> None:
    invite(world, email=world.users["roleless"].email.upper(), role="payer")
    link = link_in_mail()
    assert "Log in to join" in Client().get(link).content.decode()
    assert "Log in to join" in world.client("agent").get(link).content.decode()
    world.client("agent").post(link)
    assert Client().post(link, JOIN).status_code == 200
    assert not Membership.objects.filter(user=world.users["roleless"]).exists()
    assert world.client("roleless").post(link).status_code == 302
    assert Membership.objects.get(user=world.users["roleless"]).role == "payer"


def test_a_new_role_is_added_to_those_that_one_has(world: World) -> None:
    invite(world, email="agent@example.com", role="sender")
    world.client("agent").post(link_in_mail())
    roles = Membership.objects.filter(user=world.users["agent"]).values_list("role", flat=True)
    assert set(roles) == {"agent", "sender"}


def test_an_operator_is_invited_with_grants(world: World) -> None:
    form = {"email": "nina@example.com", "grants": ["operate"]}
    assert world.client("operate").post("/operators/invite/", form).status_code == 302
    Client().post(link_in_mail(), JOIN)
    user = User.objects.get(username="nina")
    assert user.is_operator
    assert list(Grant.objects.filter(user=user).values_list("name", "thing")) == [("operate", "")]


def test_an_administrator_invites_no_owner(world: World) -> None:
    assert invite(world, "admin", role="owner").status_code == 200
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
    assert "could not be sent" in page
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
    secret = link_in_mail().split("/")[2]
    assert secret not in str(Invitation.objects.values().get())


def test_links_cannot_be_tried_without_end(world: World) -> None:
    statuses = [Client().get(f"/join/psi_guess{n}/").status_code for n in range(62)]
    assert statuses[0] == 410
    assert statuses[-1] == 429


# -- a new password by mail ----------------------------------------------------------------


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What the worker is asked to send."""
    asked: list[tuple[str, str]] = []
    monkeypatch.setattr(tasks.send_reset_mail, "delay", lambda *args: asked.append(args))
    return asked


def ask(email: str, **meta: Any) -> Any:
    return Client().post("/password/reset/", {"email": email}, **meta)


def test_asking_answers_alike_and_leaves_the_look_up_to_the_worker(
    alice: User, sent: list[tuple[str, str]], django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(0):
        known, unknown = ask("alice@example.com"), ask("nobody@example.com")
    pages = [
        answer.content.decode().replace("alice@", "x@").replace("nobody@", "x@")
        for answer in (known, unknown)
    ]
    assert pages[0] == pages[1]
    assert [email for email, _site in sent] == ["alice@example.com", "nobody@example.com"]


def test_the_worker_mails_users_who_exist_and_are_active(alice: User, bob: User) -> None:
    services.user_deactivate(user=bob, actor="test", reason="left")
    assert mails.send_reset("ALICE@example.com", "http://testserver")
    assert not mails.send_reset("bob@example.com", "http://testserver")
    assert not mails.send_reset("nobody@example.com", "http://testserver")
    assert not mails.send_reset("alice", "http://testserver")
    assert [message.to for message in mail.outbox] == [["alice@example.com"]]


def follow(link: str) -> tuple[Client, str]:
    client = Client()
    moved = client.get(link)
    assert moved.status_code == 302
    return client, str(moved["Location"])


NEW = {"new_password": "a much better one", "repeated": "a much better one"}


def test_the_link_sets_a_password_once_and_ends_every_session(alice: User) -> None:
    other = Client()
    other.force_login(alice)
    mails.send_reset("alice@example.com", "http://testserver")
    link = link_in_mail()
    client, form = follow(link)
    assert "set" in form
    assert client.post(form, NEW)["Location"] == "/login/"
    alice.refresh_from_db()
    assert alice.check_password("a much better one")
    assert other.get("/profile/").status_code == 302
    assert client.get("/profile/").status_code == 302
    assert Client().get(link).status_code == 410
    assert client.post(form, NEW).status_code == 410


def test_a_bad_or_changed_link_is_refused(alice: User) -> None:
    mails.send_reset("alice@example.com", "http://testserver")
    link = link_in_mail()
    for bad in (link[:-3] + "x/", link.replace("/reset/", "/reset/x"), "/password/reset/MQ/set/"):
        assert Client().get(bad).status_code == 410
    assert Client().post("/password/reset/MQ/set/", NEW).status_code == 410
    alice.refresh_from_db()
    assert alice.check_password(PASSWORD)


def test_mails_are_limited_by_address_and_by_client(
    alice: User, sent: list[tuple[str, str]]
) -> None:
    for _ in range(5):
        assert ask("alice@example.com").status_code == 200
    assert len(sent) == 3
    statuses = [ask(f"n{n}@example.com", REMOTE_ADDR="192.0.2.4").status_code for n in range(21)]
    assert statuses == [200] * 20 + [429]


def test_the_mail_speaks_the_users_language(alice: User) -> None:
    services.profile_change(user=alice, actor=alice, locale="zh-hans")
    alice.refresh_from_db()
    assert mails.send_reset("alice@example.com", "http://testserver")
    assert "http://testserver/password/reset/" in mail.outbox[0].body
    assert "\n" not in mail.outbox[0].subject
