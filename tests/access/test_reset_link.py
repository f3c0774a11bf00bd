"""The mailed link to a new password: when it ends, where it leads, and what it does not do.

test_invitations.py covers which mails are sent to whom, and how many.
"""

import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from celery.exceptions import Retry
from django.core import mail
from django.db import connection
from django.test import Client
from django.urls import reverse

from poolsite.access import mail_tasks, mails, services
from poolsite.access.models import User
from poolsite.runtime.redis_server import RedisServer
from tests.access.conftest import make_user
from tests.access.mailed import open_link
from tests.access.second_factor import give_app
from tests.access.world import PASSWORD

NEW = {"password1": "a much better one", "password2": "a much better one"}
HOUR_SECONDS = 3600


@pytest.fixture(autouse=True)
def _worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do the worker's tasks at once."""
    monkeypatch.setattr(mail_tasks.send_reset_mail, "delay", mail_tasks.send_reset_mail.run)


def ask(email: str = "alice@example.com", **meta: Any) -> Any:
    return Client().post(reverse("account_reset_password"), {"email": email}, **meta)


def asked_link(**meta: Any) -> str:
    """Request a link, and return it from the mail."""
    mail.outbox.clear()
    assert ask(**meta).status_code == 302
    found = re.search(r"https?://\S+", mail.outbox[0].body)
    assert found is not None
    return found[0]


def form_of(client: Client, link: str) -> str:
    """Open the link. Return the URL of the form for the new password."""
    return str(open_link(client, link)["Location"])


def follow(link: str) -> Any:
    """Open the link and set a new password."""
    client = Client()
    return client.post(open_link(client, link)["Location"], NEW)


def works(link: str) -> bool:
    return bool(follow(link).status_code == 302)


def refused(answer: Any) -> bool:
    return "This link no longer works" in answer.content.decode()


def test_a_fresh_link_works(alice: User) -> None:
    assert works(asked_link())
    alice.refresh_from_db()
    assert alice.check_password(NEW["password1"])


def _activate_again(user: User) -> None:
    services.user_deactivate(user=user, actor="test", reason="left")
    user.refresh_from_db()
    services.user_activate(user=user, actor="test")


def _new_address(user: User) -> None:
    user.email = "alice@elsewhere.example"
    user.save()


ENDS: list[Callable[[User], object]] = [
    lambda user: services.password_set(user=user, password="another long one", actor=user),
    lambda user: services.user_deactivate(user=user, actor="test", reason="left"),
    _activate_again,
    _new_address,
    lambda user: services.log_out_everywhere(user=user, actor=user),
    lambda user: Client().post("/login/", {"login": "alice", "password": PASSWORD}),
]


@pytest.mark.parametrize(
    "end",
    ENDS,
    ids=["password", "deactivated", "activated again", "address", "logged out", "logged in"],
)
def test_a_link_ends_with(alice: User, end: Callable[[User], object]) -> None:
    link = asked_link()
    end(User.objects.get(pk=alice.pk))
    before = User.objects.get(pk=alice.pk).password
    assert refused(follow(link))
    assert User.objects.get(pk=alice.pk).password == before


def test_an_opened_form_ends_with_its_link(alice: User) -> None:
    client = Client()
    form = form_of(client, asked_link())
    services.log_out_everywhere(user=alice, actor=alice)
    assert refused(client.post(form, NEW))
    alice.refresh_from_db()
    assert alice.check_password(PASSWORD)


def test_a_link_ends_after_an_hour(alice: User, settings: Any) -> None:
    assert settings.PASSWORD_RESET_TIMEOUT == HOUR_SECONDS
    link = asked_link()
    settings.PASSWORD_RESET_TIMEOUT = -1  # as if the hour were over
    assert refused(follow(link))


def test_the_newest_link_does_not_end_the_earlier_but_its_use_does(alice: User) -> None:
    first, second = asked_link(), asked_link()
    assert works(second)
    assert refused(follow(first))


def test_a_link_is_used_once_also_by_two_at_the_same_moment(
    transactional_db: None, clean_redis: RedisServer, hashed_password: str
) -> None:
    user = make_user("alice", hashed_password)
    secret = asked_link().partition("#")[2].partition("-")[2]

    def use(number: int) -> bool:
        try:
            services.password_reset(user=user, secret=secret, password=f"chosen by number {number}")
        except Exception:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(6) as pool:
        outcomes = list(pool.map(use, range(6)))
    assert outcomes.count(True) == 1
    user.refresh_from_db()
    assert user.check_password(f"chosen by number {outcomes.index(True)}")


def test_two_forms_of_one_link_set_one_password(alice: User) -> None:
    link = asked_link()
    first, second = Client(), Client()
    forms = [form_of(client, link) for client in (first, second)]
    assert first.post(forms[0], NEW).status_code == 302
    other = {"password1": "one of a thief", "password2": "one of a thief"}
    assert refused(second.post(forms[1], other))


def test_a_weak_password_leaves_the_link_as_it_was(alice: User) -> None:
    client = Client()
    form = form_of(client, asked_link())
    assert client.post(form, {"password1": "short", "password2": "short"}).status_code == 200
    assert client.post(form, NEW).status_code == 302


def test_a_new_password_logs_nobody_in_and_the_app_is_still_asked(alice: User) -> None:
    give_app(alice)
    client = Client()
    form = form_of(client, asked_link())
    assert client.post(form, NEW, follow=True).redirect_chain[-1][0] == reverse("account_login")
    profile = reverse("access:profile")
    assert client.get(profile).status_code == 302
    step = client.post(reverse("account_login"), {"login": "alice", "password": NEW["password1"]})
    assert step["Location"] == reverse("mfa_authenticate")
    assert client.get(profile).status_code == 302


# -- where the link leads -------------------------------------------------------------------


def test_the_link_leads_to_the_public_host_whatever_host_was_named(
    alice: User, settings: Any
) -> None:
    settings.PUBLIC_HOST, settings.ALLOWED_HOSTS = "console.example", ["*"]
    for named in ("evil.example", "console.example:8443", "console.example.evil.example"):
        assert asked_link(HTTP_HOST=named).startswith("http://console.example/")


def test_a_host_that_is_not_ours_gets_no_mail(alice: User, settings: Any) -> None:
    settings.PUBLIC_HOST, settings.ALLOWED_HOSTS = "", ["console.example"]
    assert ask(HTTP_HOST="evil.example").status_code == 400
    assert mail.outbox == []


def test_forwarded_hosts_and_protocols_are_not_believed(alice: User, settings: Any) -> None:
    settings.PUBLIC_HOST, settings.ALLOWED_HOSTS = "", ["console.example"]
    forged = {
        "HTTP_X_FORWARDED_HOST": "evil.example",
        "HTTP_X_FORWARDED_SERVER": "evil.example",
        "HTTP_X_FORWARDED_PROTO": "ftp",
        "HTTP_FORWARDED": "host=evil.example;proto=ftp",
        "HTTP_X_HOST": "evil.example",
        "HTTP_X_ORIGINAL_URL": "http://evil.example/",
    }
    assert asked_link(HTTP_HOST="console.example", **forged).startswith("http://console.example/")


def test_invitations_lead_to_the_public_host_too(alice: User, settings: Any) -> None:
    settings.PUBLIC_HOST, settings.ALLOWED_HOSTS = "console.example", ["*"]
    alice.is_operator = True
    alice.save()
    services.grant_set(user=alice, name="operate", actor="test")
    client = Client()
    client.force_login(alice)
    invited = {"email": "new@example.com"}
    client.post(reverse("access:operator_invite"), invited, HTTP_HOST="evil.example")
    assert "http://console.example/join/" in mail.outbox[0].body


# -- a mail server that is away -------------------------------------------------------------


@pytest.fixture
def silent_server(settings: Any) -> Iterator[list[socket.socket]]:
    """A mail server that accepts connections and never sends anything."""
    taken: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = server.getsockname()[:2]

        def take() -> None:
            try:
                while True:
                    taken.append(server.accept()[0])
            except OSError:
                return

        thread = threading.Thread(target=take)
        thread.start()
        yield taken
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
        for each in taken:
            each.close()


def test_a_silent_mail_server_is_left_in_time_and_the_mail_tried_again(
    alice: User, silent_server: list[socket.socket], settings: Any
) -> None:
    assert settings.EMAIL_TIMEOUT == 10
    settings.EMAIL_TIMEOUT = 0.2
    with pytest.raises(OSError, match="timed out"):
        mails.send_reset("alice@example.com", "http://console.example")
    assert len(silent_server) == 1
    for task, given in (
        (mail_tasks.send_reset_mail, ("alice@example.com", "http://console.example")),
        (
            mail_tasks.send_notice_mail,
            (alice.pk, "access.password_set", int(time.time() * 1e6), ""),
        ),
    ):
        with pytest.raises(Retry):
            task.apply(args=given, throw=True, retries=0)


def test_an_invitation_says_that_the_mail_could_not_be_sent(
    alice: User, silent_server: list[socket.socket], settings: Any
) -> None:
    settings.EMAIL_TIMEOUT = 0.2
    services.grant_set(user=alice, name="operate", actor="test")
    client = Client()
    client.force_login(User.objects.get(pk=alice.pk))
    answer = client.post(
        reverse("access:operator_invite"), {"email": "new@example.com"}, follow=True
    )
    assert "The email couldn&#x27;t be sent." in answer.content.decode()
