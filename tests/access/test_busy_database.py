"""Another connection holds SQL's write lock: pages report it, and work once the lock is free."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import psycopg
import pytest
from asgiref.sync import async_to_sync
from django.contrib.sessions.backends.base import UpdateError
from django.contrib.sessions.models import Session
from django.db import InterfaceError, OperationalError, ProgrammingError, connection
from django.test import AsyncClient, Client

from poolsite.access.middleware import SESSION_SEEN
from poolsite.access.models import User
from poolsite.sql_away import sql_is_away
from tests.access.world import PASSWORD

pytestmark = pytest.mark.django_db(transaction=True)
FORM = {"login": "alice", "password": PASSWORD}


SQLITE = connection.vendor == "sqlite"
PATIENCE = "ALTER DATABASE {} {} lock_timeout"


@pytest.fixture(autouse=True)
def _impatient(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let connections wait 50 ms for the lock. In the product, SQLite's wait 20 s."""
    name = connection.ops.quote_name(connection.settings_dict["NAME"])
    if SQLITE:
        monkeypatch.setitem(connection.settings_dict["OPTIONS"], "timeout", 0.05)
    else:
        with connection.cursor() as cursor:
            cursor.execute(PATIENCE.format(name, "SET") + " = '50ms'")
    _connect_anew()
    yield
    if not SQLITE:
        with connection.cursor() as cursor:
            cursor.execute(PATIENCE.format(name, "RESET"))
    _connect_anew()


def _connect_anew() -> None:
    connection.close()
    if not SQLITE:
        connection.close_pool()


@contextmanager
def locked() -> Iterator[None]:
    """Keep an unfinished write open on another connection during the block."""
    if not SQLITE:
        with psycopg.connect(**_parameters()) as held:
            held.execute("LOCK TABLE django_session")
            yield
            held.rollback()
        return
    with closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def _parameters() -> dict[str, Any]:
    found = connection.get_connection_params()
    names = ("dbname", "user", "password", "host", "port")
    return {name: found[name] for name in names if name in found}


def page(answer: Any) -> str:
    assert answer.status_code == 503
    assert answer["Retry-After"] == "5"
    assert answer["Cache-Control"] == "no-store"
    text = str(answer.content.decode())
    assert "Traceback" not in text
    return text


def test_a_log_in_that_gets_no_lock_is_told_to_try_again_and_then_works(alice: User) -> None:
    client = Client(raise_request_exception=False)
    sessions = Session.objects.count()
    with locked():
        answer = client.post(
            "/login/", FORM, headers={"referer": "http://testserver/login/?next=/x"}
        )
        text = page(answer)
    assert "The database is busy" in text
    assert 'href="http://testserver/login/?next=/x"' in text
    assert Session.objects.count() == sessions
    assert client.post("/login/", FORM).status_code == 302
    assert client.get("/profile/").status_code == 200


def test_the_same_over_asgi(alice: User) -> None:
    client = AsyncClient(raise_request_exception=False)
    with locked():
        answer = async_to_sync(client.post)("/login/", FORM)
        assert 'href="/"' in page(answer)  # no referer: the first page
    assert async_to_sync(client.post)("/login/", FORM).status_code == 302


def test_a_session_that_cannot_be_saved_on_the_way_out_is_the_same_page(alice: User) -> None:
    client = Client(raise_request_exception=False)
    client.post("/login/", FORM)
    session = client.session
    session[SESSION_SEEN] = 0  # the next page has to move its idle limit
    session.save()
    with locked():
        text = page(client.get("/profile/?a=1&b=2"))
        assert 'href="/profile/?a=1&amp;b=2"' in text
        assert "may not have been saved" not in text
    assert client.get("/profile/").status_code == 200


def test_a_session_that_was_deleted_meanwhile_is_no_busy_database(alice: User) -> None:
    client = Client(raise_request_exception=False)
    client.post("/login/", FORM)
    session = client.session
    session["x"] = 1  # loaded before it is deleted
    Session.objects.all().delete()
    with pytest.raises(UpdateError):
        session.save()


def test_another_site_s_address_is_no_way_back(alice: User) -> None:
    client = Client(raise_request_exception=False)
    with locked():
        answer = client.post("/login/", FORM, headers={"referer": "http://testserver.example/"})
        assert 'href="/"' in page(answer)


def test_the_page_is_in_the_reader_s_language(alice: User) -> None:
    client = Client(raise_request_exception=False)
    with locked():
        answer = client.post("/login/", FORM, headers={"accept-language": "zh-hans"})
    assert '<html lang="zh-hans">' in page(answer)


def test_a_page_s_script_gets_what_it_shows(alice: User) -> None:
    client = Client(raise_request_exception=False)
    with locked():
        answer = client.post("/login/", FORM, headers={"accept": "application/json"})
    assert answer.status_code == 503
    assert answer["Content-Type"] == "application/problem+json"
    assert answer["Retry-After"] == "1"
    assert answer.json()["type"] == "unavailable"
    assert answer.json()["title"] == "The database is busy"
    assert "may not have been saved" in answer.json()["detail"]


def test_a_program_whose_session_cannot_be_saved_gets_a_problem(alice: User) -> None:
    client = Client(raise_request_exception=False)
    client.post("/login/", FORM)
    session = client.session
    session[SESSION_SEEN] = 0
    session.save()
    with locked():
        answer = client.get("/api/v1/pools")
    assert answer.status_code == 503
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["title"] == "The service is unavailable"


def test_any_other_mistake_is_still_a_500(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise ValueError("a mistake of ours")

    monkeypatch.setattr("allauth.account.adapter.authenticate", broken)
    client = Client(raise_request_exception=False)
    answer = client.post("/login/", FORM)
    assert answer.status_code == 500
    page = answer.content.decode()
    assert "Something went wrong" in page
    assert "may not have been saved" in page
    assert answer["X-Request-ID"] in page


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


def test_a_missing_table_is_a_mistake_and_a_lost_server_is_not() -> None:
    kinds = (OperationalError, ProgrammingError)  # SQLite's, PostgreSQL's
    with pytest.raises(kinds) as missing, connection.cursor() as cursor:
        cursor.execute("SELECT * FROM no_such_table")
    assert not sql_is_away(missing.value)
    assert sql_is_away(caused(OperationalError(), psycopg.OperationalError("server closed")))
    assert sql_is_away(caused(InterfaceError(), psycopg.InterfaceError("connection is closed")))
    assert not sql_is_away(caused(ProgrammingError(), psycopg.ProgrammingError("no such column")))
    assert not sql_is_away(None)
