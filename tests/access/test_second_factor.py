"""The authenticator app: enrolled by a code, asked at log-in, each code once, guessing stopped."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pyotp
import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.test import Client
from django.utils import timezone

from poolsite.access import services
from poolsite.access.models import AuditEntry, RecoveryCode, Totp, User
from poolsite.access.services import FactorAnswer, factors
from poolsite.runtime.redis_server import RedisServer
from tests.access.conftest import make_user
from tests.access.world import PASSWORD

CLOCK = 1_763_700_000.0


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
    """Alice's app, in use; its next code is still to come."""
    return enrol(alice, clock)


def enrol(user: User, clock: Any) -> str:
    secret = services.factor_begin(user=user)
    services.factor_confirm(user=user, code=clock.code(secret), actor=user)
    clock.now += 30
    return secret


def check(user: User, code: str) -> FactorAnswer:
    return services.factor_check(user=user, code=code)


def password_step(client: Client, name: str = "alice") -> Any:
    return client.post("/login/", {"username": name, "password": PASSWORD, "next": "/security/"})


def test_enrolling_needs_a_right_code(alice: User, clock: Any) -> None:
    secret = services.factor_begin(user=alice)
    with pytest.raises(ValidationError):
        services.factor_confirm(user=alice, code="000000", actor=alice)
    assert not factors.has_factor(alice)
    codes = services.factor_confirm(user=alice, code=clock.code(secret), actor=alice)
    assert factors.has_factor(alice)
    assert len(set(codes)) == 10
    assert len(codes[0]) == 19


def test_a_second_begin_shows_the_same_secret_until_it_is_confirmed(
    alice: User, clock: Any
) -> None:
    secret = services.factor_begin(user=alice)
    assert services.factor_begin(user=alice) == secret
    services.factor_confirm(user=alice, code=clock.code(secret), actor=alice)
    with pytest.raises(ValidationError):
        services.factor_begin(user=alice)


def test_the_secret_is_sealed_in_the_database(alice: User, clock: Any, settings: Any) -> None:
    secret = services.factor_begin(user=alice)
    stored = Totp.objects.get(user=alice).secret_sealed
    assert secret not in stored
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "a key that came after the first one"
    assert services.factor_begin(user=alice) == secret


def test_a_code_seals_the_secret_with_the_newest_key(
    alice: User, clock: Any, secret: str, settings: Any
) -> None:
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "a key that came after the first one"
    assert check(alice, clock.code(secret)) is FactorAnswer.OK
    settings.SECRET_KEY_FALLBACKS = []
    clock.now += 30
    assert check(alice, clock.code(secret)) is FactorAnswer.OK


def test_recovery_codes_are_stored_as_hashes(alice: User, clock: Any) -> None:
    secret = services.factor_begin(user=alice)
    codes = services.factor_confirm(user=alice, code=clock.code(secret), actor=alice)
    stored = set(RecoveryCode.objects.filter(user=alice).values_list("code_hash", flat=True))
    assert len(stored) == 10
    assert not any(code.replace("-", "") in stored for code in codes)


@pytest.mark.parametrize("steps", [-1, 0, 1])
def test_a_code_counts_half_a_minute_before_and_after(
    alice: User, clock: Any, secret: str, steps: int
) -> None:
    clock.now += 90
    assert check(alice, clock.code(secret, steps)) is FactorAnswer.OK


@pytest.mark.parametrize("steps", [-2, 2])
def test_an_older_or_later_code_does_not(alice: User, clock: Any, secret: str, steps: int) -> None:
    clock.now += 90
    assert check(alice, clock.code(secret, steps)) is FactorAnswer.WRONG


def test_a_code_works_once(alice: User, clock: Any, secret: str) -> None:
    code = clock.code(secret)
    assert check(alice, code) is FactorAnswer.OK
    assert check(alice, code) is FactorAnswer.WRONG
    assert check(alice, clock.code(secret, -1)) is FactorAnswer.WRONG


def test_the_code_that_enrolled_the_app_does_not_log_in_too(alice: User, clock: Any) -> None:
    secret = services.factor_begin(user=alice)
    code = clock.code(secret)
    services.factor_confirm(user=alice, code=code, actor=alice)
    assert check(alice, code) is FactorAnswer.WRONG


def test_one_code_brought_by_many_at_once_lets_one_in(
    transactional_db: None, clean_redis: RedisServer, hashed_password: str, clock: Any
) -> None:
    user = make_user("alice", hashed_password)
    code = clock.code(enrol(user, clock))

    def bring(_number: int) -> FactorAnswer:
        try:
            return check(user, code)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(bring, range(8)))
    assert answers.count(FactorAnswer.OK) == 1


def test_codes_are_read_as_people_type_them(alice: User, clock: Any, secret: str) -> None:
    code = clock.code(secret)
    wide = "".join(chr(ord(digit) + 0xFEE0) for digit in code)
    assert check(alice, f" {wide[:3]} {wide[3:]} ") is FactorAnswer.OK


@pytest.mark.parametrize("code", ["", "12345", "1234567", "abcdef", "١٢٣٤٥٦", "\x00" * 6, "9" * 32])
def test_what_is_no_code_is_wrong(alice: User, clock: Any, secret: str, code: str) -> None:
    assert check(alice, code) is FactorAnswer.WRONG


def test_a_recovery_code_lets_in_once(alice: User, clock: Any, secret: str) -> None:
    codes = services.recovery_codes_renew(user=alice, actor=alice)
    assert check(alice, codes[3].upper()) is FactorAnswer.OK
    assert check(alice, codes[3]) is FactorAnswer.WRONG
    assert RecoveryCode.objects.filter(user=alice).count() == 9
    assert AuditEntry.objects.filter(action="access.recovery_code_use").count() == 1


def test_new_recovery_codes_end_the_old_ones(alice: User, clock: Any, secret: str) -> None:
    old = services.recovery_codes_renew(user=alice, actor=alice)
    services.recovery_codes_renew(user=alice, actor=alice)
    assert check(alice, old[0]) is FactorAnswer.WRONG


def test_after_five_wrong_codes_even_the_right_one_waits(
    alice: User, clock: Any, secret: str
) -> None:
    for _try in range(5):
        assert check(alice, "000000") is FactorAnswer.WRONG
    assert check(alice, clock.code(secret)) is FactorAnswer.BLOCKED
    Totp.objects.filter(user=alice).update(blocked_until=timezone.now() - timedelta(seconds=1))
    assert check(alice, clock.code(secret)) is FactorAnswer.OK
    assert Totp.objects.get(user=alice).failures == 0


def test_each_further_wrong_code_blocks_for_longer(alice: User, clock: Any, secret: str) -> None:
    lengths = []
    for failures in (5, 6, 7, 30):
        Totp.objects.filter(user=alice).update(failures=failures - 1, blocked_until=None)
        check(alice, "000000")
        until = Totp.objects.get(user=alice).blocked_until
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
    assert client.session["access_factor_at"] == pytest.approx(time.time(), abs=60)


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
    pending = session["access_pending"]
    session["access_pending"] = {**pending, "at": pending["at"] - 301}
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


def test_the_picture_is_an_svg_and_gone_once_the_app_is_in_use(alice: User, clock: Any) -> None:
    client = Client()
    client.force_login(alice)
    page = client.get("/security/app/").content.decode()
    assert '<img src="/security/app/code.svg"' in page
    picture = client.get("/security/app/code.svg")
    assert picture["Content-Type"] == "image/svg+xml"
    assert b"<svg" in picture.content
    assert b"style=" not in picture.content
    secret = services.factor_begin(user=alice)
    answer = client.post("/security/app/", {"code": clock.code(secret)})
    assert answer.content.count(b"<code>") == 10
    assert client.get("/security/app/code.svg").status_code == 404
    assert client.get("/security/app/")["Location"] == "/security/"


def test_confirming_again_makes_the_factor_fresh(alice: User, clock: Any, secret: str) -> None:
    client = Client()
    client.force_login(alice)
    assert "access_factor_at" not in client.session
    answer = client.post("/security/confirm/", {"code": clock.code(secret), "next": "/tokens/"})
    assert answer["Location"] == "/tokens/"
    assert client.session["access_factor_at"] == pytest.approx(time.time(), abs=60)


def test_who_has_no_app_is_led_to_set_one_up(alice: User) -> None:
    client = Client()
    client.force_login(alice)
    assert client.get("/security/confirm/")["Location"] == "/security/app/"


def test_removing_the_app_needs_a_code_and_ends_what_it_proved(
    alice: User, clock: Any, secret: str
) -> None:
    client = Client()
    client.force_login(alice)
    assert client.post("/security/app/remove/", {"code": "000000"}).status_code == 200
    assert factors.has_factor(alice)
    assert client.post("/security/app/remove/", {"code": clock.code(secret)}).status_code == 302
    assert not factors.has_factor(alice)
    assert not RecoveryCode.objects.filter(user=alice).exists()
    assert "access_factor_at" not in client.session
