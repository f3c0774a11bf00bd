"""Codes of the second factor: asked at login, each valid once, throttled, encrypted in SQL.

The pages that set up a second factor, and passkeys, are in browser/test_logging_in_live.py
"""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pyotp
import pytest
from allauth.mfa.models import Authenticator
from django.db import connection
from django.test import Client
from django.utils import timezone

from poolsite.access import lookup, services
from poolsite.access.factor_state import has_factor
from poolsite.access.models import AuditEntry, CodeGuard, User
from poolsite.access.services import factors
from poolsite.access.services.factors import CodesBlockedError
from poolsite.runtime.redis_server import RedisServer
from tests.access.conftest import make_user
from tests.access.second_factor import give_app, give_codes
from tests.access.world import PASSWORD

CLOCK = 1_763_700_000.0
APP, CODE_STEP, CONFIRM = "/security/app/", "/login/code/", "/security/confirm/"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The authenticator's time, which the test moves."""

    class Clock:
        now = CLOCK

        def time(self) -> float:
            return self.now

        def code(self, secret: str, steps: int = 0) -> str:
            return pyotp.TOTP(secret).generate_otp(int(self.now) // 30 + steps)

    clock = Clock()
    monkeypatch.setattr(factors, "time", clock)
    return clock


@pytest.fixture
def secret(alice: User, clock: Any) -> str:
    """The secret of Alice's app."""
    return give_app(alice)


def right(user: User, code: str) -> bool:
    return services.code_use(user=user, code=code) is not None


def entered(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def factor_at(client: Client, user: User) -> float | None:
    return lookup.factor_at(user, client.session)


def password_step(client: Client, name: str = "alice") -> Any:
    return client.post("/login/", {"login": name, "password": PASSWORD, "next": "/security/"})


def test_setting_up_an_app_needs_a_right_code_and_gives_recovery_codes(
    transactional_db: None, clean_redis: RedisServer, hashed_password: str, clock: Any
) -> None:
    alice = make_user("alice", hashed_password)
    client = entered(alice)
    client.get(APP)
    secret = client.session["mfa.totp.secret"]
    assert "Incorrect code." in client.post(APP, {"code": "000000"}).content.decode()
    assert not has_factor(alice)
    answer = client.post(APP, {"code": clock.code(secret)}, follow=True)
    assert has_factor(alice)
    assert answer.content.count(b"<code>") == 10
    assert "mfa.totp.secret" not in client.session
    assert factor_at(client, alice) == pytest.approx(time.time(), abs=60)
    again = client.get("/security/codes/").content
    assert b"<code>" not in again  # shown once
    assert b"You have 10 recovery codes left" in again


def test_secrets_are_sealed_in_the_database(alice: User, secret: str, settings: Any) -> None:
    code = give_codes(alice)[0]
    kept = {each.type: each.data for each in Authenticator.objects.filter(user=alice)}
    assert secret not in str(kept)
    assert code not in str(kept)
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "a key that came after the first one"
    assert factors.unseal(kept["totp"]["secret"]) == secret


def test_a_code_seals_the_secret_with_the_newest_key(
    alice: User, clock: Any, secret: str, settings: Any
) -> None:
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "a key that came after the first one"
    assert right(alice, clock.code(secret))
    settings.SECRET_KEY_FALLBACKS = []
    clock.now += 30
    assert right(alice, clock.code(secret))


def test_without_its_key_a_secret_gives_no_code_that_anybody_could_know(
    alice: User, clock: Any, secret: str, settings: Any
) -> None:
    codes = give_codes(alice)
    settings.SECRET_KEY = "another key, and the first one is lost"
    opened = {factors.unseal(Authenticator.objects.get(type="totp").data["secret"]) for _ in "ab"}
    assert len(opened) == 2
    assert not right(alice, clock.code(secret))
    assert not right(alice, codes[0])


@pytest.mark.parametrize("steps", [-1, 0, 1])
def test_a_code_counts_half_a_minute_before_and_after(
    alice: User, clock: Any, secret: str, steps: int
) -> None:
    clock.now += 90
    assert right(alice, clock.code(secret, steps))


@pytest.mark.parametrize("steps", [-2, 2])
def test_an_older_or_later_code_does_not(alice: User, clock: Any, secret: str, steps: int) -> None:
    clock.now += 90
    assert not right(alice, clock.code(secret, steps))


def test_a_code_works_once(alice: User, clock: Any, secret: str) -> None:
    code = clock.code(secret)
    assert right(alice, code)
    assert not right(alice, code)
    assert not right(alice, clock.code(secret, -1))


def test_the_code_that_enrolled_the_app_does_not_log_in_too(alice: User, clock: Any) -> None:
    client = entered(alice)
    client.get(APP)
    code = clock.code(client.session["mfa.totp.secret"])
    client.post(APP, {"code": code})
    assert has_factor(alice)
    assert not right(alice, code)


def test_one_code_brought_by_many_at_once_lets_one_in(
    transactional_db: None, clean_redis: RedisServer, hashed_password: str, clock: Any
) -> None:
    user = make_user("alice", hashed_password)
    code = clock.code(give_app(user))

    def bring(_number: int) -> bool:
        try:
            return right(user, code)
        except CodesBlockedError:
            return False
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(bring, range(8)))
    assert answers.count(True) == 1


def test_codes_are_read_as_people_type_them(alice: User, clock: Any, secret: str) -> None:
    code = clock.code(secret)
    wide = "".join(chr(ord(digit) + 0xFEE0) for digit in code)
    assert right(alice, f" {wide[:3]} {wide[3:]} ")


@pytest.mark.parametrize("code", ["", "12345", "1234567", "abcdef", "١٢٣٤٥٦", "\x00" * 6, "9" * 32])
def test_what_is_no_code_is_wrong(alice: User, clock: Any, secret: str, code: str) -> None:
    assert not right(alice, code)


def test_a_recovery_code_lets_in_once(alice: User, clock: Any, secret: str) -> None:
    codes = give_codes(alice)
    assert right(alice, f" {codes[3][:4]}-{codes[3][4:]}")
    assert not right(alice, codes[3])
    assert len(Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes()) == 9
    assert AuditEntry.objects.filter(action="access.recovery_code_use").count() == 1


def test_new_recovery_codes_end_the_old_ones(alice: User, clock: Any, secret: str) -> None:
    old = give_codes(alice)
    answer = entered(alice).post("/security/codes/new/", follow=True)
    assert answer.content.count(b"<code>") == 10
    assert not right(alice, old[0])
    assert AuditEntry.objects.filter(action="access.recovery_codes_renew").count() == 1


def test_after_five_wrong_codes_even_the_right_one_waits(
    alice: User, clock: Any, secret: str
) -> None:
    for _try in range(5):
        assert not right(alice, "000000")
    with pytest.raises(CodesBlockedError):
        right(alice, clock.code(secret))
    CodeGuard.objects.filter(user=alice).update(blocked_until=timezone.now() - timedelta(seconds=1))
    assert right(alice, clock.code(secret))
    assert CodeGuard.objects.get(user=alice).failures == 0


def test_each_further_wrong_code_blocks_for_longer(alice: User, clock: Any, secret: str) -> None:
    lengths = []
    for failures in (5, 6, 7, 30):
        CodeGuard.objects.update_or_create(
            user=alice, defaults={"failures": failures - 1, "blocked_until": None}
        )
        right(alice, "000000")
        until = CodeGuard.objects.get(user=alice).blocked_until
        assert until is not None
        lengths.append(round((until - timezone.now()).total_seconds(), -1))
    assert lengths == [60, 120, 240, 3600]
    assert AuditEntry.objects.filter(action="access.factor_blocked").count() == 4


def test_log_in_asks_for_the_code_before_anybody_is_logged_in(
    alice: User, clock: Any, secret: str
) -> None:
    client = Client()
    assert password_step(client)["Location"] == "/login/code/"
    assert client.get("/profile/").status_code == 302
    before = client.session.session_key
    assert client.post("/login/code/", {"code": "000000"}).status_code == 200
    assert client.get("/profile/").status_code == 302
    entered = client.post("/login/code/", {"code": clock.code(secret)})
    assert entered["Location"] == "/security/"
    assert client.session.session_key != before
    assert client.get("/profile/").status_code == 200
    assert factor_at(client, alice) == pytest.approx(time.time(), abs=60)


def test_a_used_code_does_not_log_in_a_second_browser(alice: User, clock: Any, secret: str) -> None:
    code = clock.code(secret)
    for browser, status in ((Client(), 302), (Client(), 200)):
        password_step(browser)
        assert browser.post("/login/code/", {"code": code}).status_code == status


def test_the_password_step_is_forgotten_after_five_minutes(
    alice: User, clock: Any, secret: str
) -> None:
    client = Client()
    password_step(client)
    session = client.session
    pending = session["account_login"]
    session["account_login"] = {**pending, "initiated_at": pending["initiated_at"] - 301}
    session.save()
    assert client.post("/login/code/", {"code": clock.code(secret)})["Location"] == "/login/"


def test_a_new_password_ends_a_log_in_that_waits_for_its_code(
    alice: User, clock: Any, secret: str
) -> None:
    client = Client()
    password_step(client)
    services.password_set(user=alice, password="another long one", actor="test")
    assert client.post("/login/code/", {"code": clock.code(secret)})["Location"] == "/login/"


def test_too_many_wrong_codes_answer_429(alice: User, clock: Any, secret: str) -> None:
    client = Client()
    password_step(client)
    statuses = [client.post("/login/code/", {"code": "000000"}).status_code for _ in range(6)]
    assert statuses == [200] * 5 + [429]


def test_the_picture_is_in_the_page_and_gone_once_the_app_is_in_use(
    alice: User, clock: Any
) -> None:
    client = entered(alice)
    assert 'src="data:image/svg+xml;base64,' in client.get(APP).content.decode()
    client.post(APP, {"code": clock.code(client.session["mfa.totp.secret"])})
    assert client.get(APP)["Location"] == "/security/app/remove/"


def test_confirming_again_makes_the_factor_fresh(alice: User, clock: Any, secret: str) -> None:
    client = entered(alice)
    assert factor_at(client, alice) is None
    answer = client.post("/security/confirm/", {"code": clock.code(secret), "next": "/tokens/"})
    assert answer["Location"] == "/tokens/"
    assert factor_at(client, alice) == pytest.approx(time.time(), abs=60)


def test_who_has_no_app_is_led_to_set_one_up(alice: User) -> None:
    assert entered(alice).get(CONFIRM)["Location"] == APP


def test_removing_the_app_ends_what_it_proved(alice: User, clock: Any, secret: str) -> None:
    client = entered(alice)
    client.post(CONFIRM, {"code": clock.code(secret)})
    give_codes(alice)
    assert client.post("/security/app/remove/").status_code == 302
    assert not Authenticator.objects.filter(user=alice).exists()
    assert not lookup.of_session(str(client.session.session_key)).has_factor
    kept = AuditEntry.objects.filter(action="access.factor_remove")
    assert [each.actor_name for each in kept] == ["alice"]


def test_who_has_an_app_confirms_with_it_and_not_with_the_password(
    alice: User, clock: Any, secret: str
) -> None:
    """Otherwise a stolen session with a known password could remove the second factor."""
    client = entered(alice)
    session = client.session
    session["access_started"] -= 301
    session.save()
    asked = client.get("/security/app/remove/")
    assert asked["Location"] == f"{CONFIRM}?next=%2Fsecurity%2Fapp%2Fremove%2F"
    instead = client.post("/security/confirm/password/", {"password": PASSWORD})
    assert instead["Location"].startswith(CONFIRM)
    assert client.post("/security/app/remove/").status_code == 302
    assert has_factor(alice)
