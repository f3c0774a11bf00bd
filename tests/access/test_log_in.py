"""Login: by name or address, throttled, with a new session key. Sessions end when they should."""

import logging
import re
import time
from typing import Any

import pytest
from django.contrib.auth import hashers
from django.contrib.sessions.models import Session
from django.test import Client

from poolsite import access
from poolsite import settings as product
from poolsite.access import backends, lookup, services
from poolsite.access.lookup import SESSION_METHODS, SESSION_STARTED
from poolsite.access.middleware import SESSION_SEEN
from poolsite.access.models import User
from tests.access.world import PASSWORD, World


def log_in(client: Client, name: str, password: str = PASSWORD, **meta: Any) -> Any:
    return client.post("/login/", {"login": name, "password": password}, **meta)


def logged_in(client: Client) -> bool:
    return client.get("/profile/").status_code == 200


@pytest.mark.parametrize("name", ["alice", "ALICE", " alice ", "Alice@Example.com", "ａｌｉｃｅ"])
def test_a_user_logs_in_by_name_or_address_in_any_case(alice: User, name: str) -> None:
    client = Client()
    assert log_in(client, name).status_code == 302
    assert logged_in(client)


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("alice", "wrong"),
        ("nobody", PASSWORD),
        ("nobody@example.com", PASSWORD),
        ("", PASSWORD),
        ("alice", ""),
        ("al\x00ice", PASSWORD),
        ("a" * 300, PASSWORD),
        ("alice", "x" * 5000),
    ],
)
def test_what_does_not_fit_lets_nobody_in(alice: User, name: str, password: str) -> None:
    client = Client()
    assert log_in(client, name, password).status_code == 200
    assert not logged_in(client)


def words(response: Any) -> str:
    """Return the page without the parts that always differ: the CSRF token and the user's input."""
    text = re.sub(r'name="csrfmiddlewaretoken" value="[^"]+"', "", response.content.decode())
    return re.sub(r'name="login" value="[^"]*"', "", text)


def test_an_unknown_and_an_inactive_user_read_the_same_answer(alice: User, bob: User) -> None:
    services.user_deactivate(user=bob, actor="test", reason="left")
    answers = {
        words(log_in(Client(), name, password))
        for name, password in (
            ("alice", "wrong"),
            ("nobody", "wrong"),
            ("nobody@example.com", "wrong"),
            ("bob", PASSWORD),
        )
    }
    assert len(answers) == 1


@pytest.mark.parametrize("name", ["alice", "nobody", "nobody@example.com", "bob", "invited"])
def test_every_kind_of_no_hashes_one_password(
    alice: User, bob: User, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hashing takes the time, so it is done once whether or not the user exists."""
    services.user_deactivate(user=bob, actor="test", reason="left")
    services.user_create(username="invited", actor="test")  # has no password yet
    hasher = hashers.get_hasher("argon2")
    calls: list[str] = []
    for method in ("encode", "verify"):
        original = getattr(type(hasher), method)

        def counted(self: Any, *args: Any, _of: Any = original, _m: str = method) -> Any:
            calls.append(_m)
            return _of(self, *args)

        monkeypatch.setattr(type(hasher), method, counted)
    assert backends.NameOrEmailBackend().authenticate(None, name, "wrong") is None
    assert len(calls) == 1


def test_a_password_is_kept_as_an_argon2id_hash_of_full_strength(settings: Any) -> None:
    settings.PASSWORD_HASHERS = product.PASSWORD_HASHERS  # other tests use a fast one
    kept = hashers.make_password(PASSWORD)
    assert kept.startswith("argon2$argon2id$v=19$m=102400,t=2,p=8$")
    assert hashers.check_password(PASSWORD, kept)


def test_logging_in_changes_the_session_key(alice: User) -> None:
    """A key that an attacker planted before the login is worthless after it."""
    client = Client()
    session = client.session
    session["planted"] = "yes"
    session.save()
    planted = session.session_key
    log_in(client, "alice")
    assert client.session.session_key != planted
    thief = Client()
    thief.cookies["session"] = str(planted)
    assert not logged_in(thief)
    assert not Session.objects.filter(session_key=planted).exists()


def test_logging_in_changes_the_csrf_secret(alice: User) -> None:
    """A form's token that an attacker knew before the login is refused after it."""
    client = Client(enforce_csrf_checks=True)
    page = client.get("/login/").content.decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert token is not None
    form = {"login": "alice", "password": PASSWORD, "csrfmiddlewaretoken": token[1]}
    assert client.post("/login/", form).status_code == 302
    old = {"csrfmiddlewaretoken": token[1]}
    assert client.post("/security/logout/", old).status_code == 403
    assert logged_in(client)


def test_another_user_in_the_same_browser_inherits_nothing(alice: User, bob: User) -> None:
    client = Client()
    log_in(client, "alice")
    session = client.session
    session[SESSION_METHODS] = [{"method": "mfa", "at": time.time()}]
    session.save()
    assert lookup.factor_at(alice, client.session) is not None
    assert lookup.factor_at(bob, client.session) is None
    client.post("/logout/")
    log_in(client, "bob")
    assert lookup.factor_at(bob, client.session) is None


def test_a_session_ends_at_its_absolute_limit(alice: User, settings: Any) -> None:
    client = Client()
    log_in(client, "alice")
    session = client.session
    session[SESSION_STARTED] = time.time() - settings.SESSION_ABSOLUTE_SECONDS - 1
    session.save()
    assert not logged_in(client)
    assert not Session.objects.filter(session_key=session.session_key).exists()


def test_a_socket_ends_with_its_session_at_the_absolute_limit(alice: User, settings: Any) -> None:
    client = Client()
    log_in(client, "alice")
    session = client.session
    began = session[SESSION_STARTED] = time.time() - settings.SESSION_ABSOLUTE_SECONDS + 60
    session.save()
    principal = lookup.of_session(str(session.session_key))
    assert principal.expires_at == began + settings.SESSION_ABSOLUTE_SECONDS


def test_a_new_password_ends_the_sockets_of_every_session(alice: User) -> None:
    client = Client()
    log_in(client, "alice")
    key = str(client.session.session_key)
    assert lookup.of_session(key).is_authenticated
    alice.set_password("another password of hers")
    alice.save()
    assert not lookup.of_session(key).is_authenticated


def test_a_session_that_does_not_say_when_it_began_is_ended(alice: User) -> None:
    client = Client()
    log_in(client, "alice")
    session = client.session
    del session[SESSION_STARTED]
    session.save()
    assert not logged_in(client)


def test_an_idle_session_ends_and_use_moves_the_limit_on_once_a_minute(
    alice: User, settings: Any
) -> None:
    client = Client()
    log_in(client, "alice")
    assert logged_in(client)
    seen = client.session[SESSION_SEEN]
    assert logged_in(client)
    assert client.session[SESSION_SEEN] == seen
    session = client.session
    session[SESSION_SEEN] = seen - 61
    session.save()
    row = Session.objects.get(session_key=session.session_key)
    row.expire_date = row.expire_date.replace(year=row.expire_date.year + 1)
    row.save()
    assert logged_in(client)
    moved = Session.objects.get(session_key=session.session_key).expire_date
    assert moved < row.expire_date
    Session.objects.filter(session_key=session.session_key).update(
        expire_date=moved.replace(year=2020)
    )
    assert not logged_in(client)


def test_logging_out_everywhere_ends_both_browsers(alice: User) -> None:
    first, second = Client(), Client()
    log_in(first, "alice")
    log_in(second, "alice")
    first.post("/security/logout/")
    assert not logged_in(first)
    assert not logged_in(second)


def test_a_new_password_ends_the_other_browser_and_keeps_this_one(alice: User) -> None:
    first, second = Client(), Client()
    log_in(first, "alice")
    log_in(second, "alice")
    old_key = first.session.session_key
    new = "a much better one"
    form = {"oldpassword": PASSWORD, "password1": new, "password2": new}
    assert first.post("/security/password/", form).status_code == 302
    assert logged_in(first)
    assert first.session.session_key != old_key
    assert not logged_in(second)
    assert log_in(Client(), "alice").status_code == 200
    assert log_in(Client(), "alice", "a much better one").status_code == 302


@pytest.mark.parametrize(
    "form",
    [
        {
            "oldpassword": "wrong",
            "password1": "a much better one",
            "password2": "a much better one",
        },
        {"oldpassword": PASSWORD, "password1": "a much better one", "password2": "another"},
        {"oldpassword": PASSWORD, "password1": "short", "password2": "short"},
        {"oldpassword": PASSWORD, "password1": "password123", "password2": "password123"},
        {"oldpassword": PASSWORD, "password1": "", "password2": ""},
    ],
)
def test_a_bad_new_password_changes_nothing(alice: User, form: dict[str, str]) -> None:
    client = Client()
    log_in(client, "alice")
    assert client.post("/security/password/", form).status_code == 200
    alice.refresh_from_db()
    assert alice.check_password(PASSWORD)


@pytest.mark.parametrize(
    ("wanted", "target"),
    [
        ("/history/?actor=x", "/history/?actor=x"),
        ("https://evil.example/", "/"),
        ("//evil.example/", "/"),
        ("///evil.example/", "/"),
        ("/\\evil.example/", "/"),
        ("\\\\evil.example/", "/"),
        ("/\t/evil.example/", "/"),
        ("\x00//evil.example/", "/"),
        (" //evil.example/", "/"),
        ("https:evil.example/", "/"),
        ("https:///evil.example/", "/"),
        ("http://testserver@evil.example/", "/"),
        ("/login/%0d%0aSet-Cookie:x=y", "/login/%0d%0aSet-Cookie:x=y"),
        ("javascript:alert(1)", "/"),
        ("", "/"),
    ],
)
def test_log_in_leads_back_to_this_site_only(alice: User, wanted: str, target: str) -> None:
    form = {"login": "alice", "password": PASSWORD, "next": wanted}
    assert Client().post("/login/", form)["Location"] == target


def test_a_page_that_asks_for_a_log_in_is_come_back_to(world: World) -> None:
    asked = Client().get("/tokens/?older=5")
    assert asked["Location"] == "/login/?next=%2Ftokens%2F%3Folder%3D5"


def test_the_admins_door_leads_to_ours_and_back(world: World) -> None:
    asked = Client().get("/admin/", follow=True)
    assert asked.redirect_chain[-1][0] == "/login/?next=%2Fadmin%2F"


def test_each_role_lands_on_its_own_first_page(world: World) -> None:
    access.register_first_page(
        "test",
        suits=lambda p: any("agent" in r for r in p.memberships.values()),
        url="/agents/",
        order=1,
    )
    try:
        assert world.client("operate").get("/")["Location"] == "/overview/"
        assert world.client("agent").get("/")["Location"] == "/agents/"
        landed = world.client("roleless").get("/", follow=True)
        assert landed.redirect_chain == [("/welcome/", 302)]
        assert "Nothing here yet" in landed.content.decode()
    finally:
        from poolsite.access import first_pages

        del first_pages._PAGES["test"]


def test_the_api_answers_a_problem_and_never_the_log_in_page(world: World) -> None:
    answer = Client().get("/history/", HTTP_AUTHORIZATION="Bearer nothing")
    assert answer.status_code == 401
    assert answer["Content-Type"] == "application/problem+json"
    assert answer["WWW-Authenticate"] == "Bearer"
    assert answer.json()["type"] == "/problems/login-needed"


def test_below_api_a_missing_address_is_a_problem_and_elsewhere_a_page() -> None:
    missing = Client().get("/api/v1/nothing-of-the-kind")
    assert (missing.status_code, missing["Content-Type"]) == (404, "application/problem+json")
    page = Client().get("/nothing-of-the-kind/")
    assert (page.status_code, page["Content-Type"]) == (404, "text/html; charset=utf-8")


def test_a_bad_token_does_not_fall_back_to_the_cookie(world: World) -> None:
    client = world.client("operate")
    assert client.get("/history/").status_code == 200
    assert client.get("/history/", HTTP_AUTHORIZATION="Bearer nothing").status_code == 401
    assert client.get("/history/", HTTP_AUTHORIZATION="Basic b3A6b3A=").status_code == 401


def test_log_ins_are_logged_and_a_password_typed_as_a_name_is_not(
    alice: User, caplog: pytest.LogCaptureFixture
) -> None:
    client = Client(REMOTE_ADDR="192.0.2.7")
    with caplog.at_level(logging.INFO, logger="poolsite.access"):
        log_in(client, "hunter2hunter2", "alice")
        log_in(client, "alice", "wrong")
        log_in(client, "alice")
        client.post("/logout/")
    ours = [each for each in caplog.records if each.name == "poolsite.access"]
    assert [(each.levelname, each.getMessage()) for each in ours] == [
        ("WARNING", "log-in failed: an unknown name from 192.0.2.7"),
        ("WARNING", f"log-in failed: user:{alice.pk} from 192.0.2.7"),
        ("INFO", f"logged in: user:{alice.pk} from 192.0.2.7"),
        ("INFO", f"logged out: user:{alice.pk} from 192.0.2.7"),
    ]
