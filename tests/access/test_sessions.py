"""The list of the user's own sessions: where they are logged in, and how to end the others."""

from datetime import timedelta

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from poolsite.access.browsers import browser_and_system
from poolsite.access.models import AuditEntry, User
from poolsite.people import tidying
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
    assert shown.count("This session") == 1
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


def test_one_session_is_ended_and_nobody_elses(alice: User, bob: User) -> None:
    here, there = browser("alice", "A", "192.0.2.1"), browser("alice", "B", "192.0.2.2")
    third, stranger = browser("alice", "C", "192.0.2.3"), browser("bob", "D", "192.0.2.4")
    ids = {row.ip: row.pk for row in UserSession.objects.all()}
    for address in ("192.0.2.1", "192.0.2.2", "192.0.2.4"):  # only the second is another one
        assert here.post(PAGE, {"session": ids[address]}).status_code == 302
    assert here.post(PAGE, {"session": "no number"}).status_code == 302
    left = [logged_in(each) for each in (here, there, third, stranger)]
    assert left == [True, False, True, True]
    assert AuditEntry.objects.filter(action="access.sessions_end").count() == 1


def test_this_session_is_first_then_the_newest(alice: User) -> None:
    here = browser("alice", "A", "192.0.2.1")
    for address in ("192.0.2.2", "192.0.2.3"):
        browser("alice", "B", address)
    shown = rows(here)
    places = [shown.index(f"192.0.2.{last} ·") for last in (1, 3, 2)]
    assert places == sorted(places)


def test_browsers_and_systems_are_named() -> None:
    end = "(KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36"
    told = {
        f"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 {end}": ("Chrome", "Linux"),
        f"Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 {end} Edg/141.0": ("Edge", "Windows"),
        "Mozilla/5.0 (iPhone; CPU like Mac OS X) Version/18.0 Safari/604.1": ("Safari", "iPhone"),
        "Mozilla/5.0 (Android 15; Mobile; rv:130.0) Firefox/130.0": ("Firefox", "Android"),
        "curl/8.0": ("", ""),
    }
    assert {agent: browser_and_system(agent) for agent in told} == told


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
