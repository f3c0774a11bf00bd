"""The list of one's sessions: where one is logged in, and how the others are ended."""

from datetime import timedelta

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from poolsite.access import tidying
from poolsite.access.models import AuditEntry, User
from tests.access.test_log_in import log_in, logged_in

PAGE = "/security/sessions/"


def browser(name: str, agent: str, address: str) -> Client:
    client = Client(HTTP_USER_AGENT=agent, REMOTE_ADDR=address)
    assert log_in(client, name).status_code == 302
    return client


def rows(client: Client) -> str:
    return client.get(PAGE).content.decode().partition("<tbody>")[2].partition("</tbody>")[0]


def test_each_session_is_listed_with_its_address_and_browser(alice: User, bob: User) -> None:
    here = browser("alice", "Firefox", "192.0.2.1")
    browser("alice", "Safari", "192.0.2.2")
    browser("bob", "Opera", "192.0.2.3")
    shown = rows(here)
    assert shown.count("<tr>") == 2
    assert shown.count("current") == 1
    for word in ("Firefox", "192.0.2.1", "Safari", "192.0.2.2"):
        assert word in shown
    assert "Opera" not in shown


def test_the_others_are_ended_and_nobody_elses(alice: User, bob: User) -> None:
    here, there = browser("alice", "A", "192.0.2.1"), browser("alice", "B", "192.0.2.2")
    stranger = browser("bob", "C", "192.0.2.3")
    assert here.post(PAGE).status_code == 302
    assert (logged_in(here), logged_in(there), logged_in(stranger)) == (True, False, True)
    assert rows(here).count("<tr>") == 1
    (kept,) = AuditEntry.objects.filter(action="access.sessions_end")
    assert (kept.actor_name, kept.after) == ("alice", {"sessions": 1})


def test_what_a_browser_calls_itself_is_text(alice: User) -> None:
    client = browser("alice", "<script>alert(1)</script>" + "x" * 2_000, "192.0.2.1")
    assert "&lt;script&gt;" in rows(client)


def test_a_peer_without_an_address_can_log_in(alice: User) -> None:
    assert "0.0.0.0" in rows(browser("alice", "A", ""))  # behind a Unix socket


def test_ended_sessions_are_tidied_away_with_their_rows(alice: User) -> None:
    browser("alice", "A", "192.0.2.1")
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    tidying.delete_ended_sessions()
    assert not UserSession.objects.exists()
