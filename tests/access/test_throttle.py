"""Password guessing: counted by user and address together, by user, and by address."""

from typing import Any

from django.test import Client

from poolsite.access.models import User
from poolsite.runtime.redis_server import RedisServer
from tests.access.test_log_in import log_in, words


def fail(client: Client, name: str, times: int, address: str = "192.0.2.1") -> int:
    """Return the last status of several failed logins."""
    status = 0
    for _ in range(times):
        status = log_in(client, name, "wrong", REMOTE_ADDR=address).status_code
    return status


def test_five_wrong_passwords_from_one_address_stop_that_user_there(alice: User) -> None:
    assert fail(Client(), "alice", 4) == 200
    assert fail(Client(), "alice", 1) == 429
    refused = log_in(Client(), "alice", REMOTE_ADDR="192.0.2.1")
    assert refused.status_code == 429
    assert refused["Retry-After"] == "900"
    assert log_in(Client(), "alice", REMOTE_ADDR="192.0.2.9").status_code == 302


def test_the_address_and_the_name_of_a_user_count_together(alice: User) -> None:
    assert fail(Client(), "alice", 3) == 200
    assert fail(Client(), "ALICE@example.com", 2) == 429


def test_a_user_is_throttled_whatever_the_address(alice: User, settings: Any) -> None:
    settings.LOGIN_FAILURES_BY_USER = 6
    for number in range(6):
        fail(Client(), "alice", 1, address=f"198.51.100.{number}")
    assert log_in(Client(), "alice", REMOTE_ADDR="203.0.113.5").status_code == 429


def test_an_address_is_throttled_whatever_the_user(alice: User, bob: User, settings: Any) -> None:
    settings.LOGIN_FAILURES_BY_ADDRESS = 6
    for number in range(6):
        fail(Client(), f"guess{number}", 1)
    assert log_in(Client(), "bob", REMOTE_ADDR="192.0.2.1").status_code == 429
    assert log_in(Client(), "bob", REMOTE_ADDR="192.0.2.2").status_code == 302


def test_ones_own_log_in_does_not_free_an_address_that_guesses(
    alice: User, bob: User, settings: Any
) -> None:
    settings.LOGIN_FAILURES_BY_ADDRESS = 6
    for number in range(5):
        fail(Client(), f"guess{number}", 1)
    assert log_in(Client(), "bob", REMOTE_ADDR="192.0.2.1").status_code == 302
    assert fail(Client(), "guess9", 1) == 429


def test_a_log_in_forgets_the_users_own_failures(alice: User) -> None:
    fail(Client(), "alice", 4)
    assert log_in(Client(), "alice", REMOTE_ADDR="192.0.2.1").status_code == 302
    assert fail(Client(), "alice", 4) == 200


def test_an_unknown_user_is_throttled_with_the_same_words(alice: User) -> None:
    fail(Client(), "alice", 5)
    fail(Client(), "nobody", 5, address="192.0.2.2")
    known = log_in(Client(), "alice", REMOTE_ADDR="192.0.2.1")
    unknown = log_in(Client(), "nobody", REMOTE_ADDR="192.0.2.2")
    assert (known.status_code, words(known)) == (unknown.status_code, words(unknown))


def test_a_forged_forwarding_header_does_not_change_the_address(alice: User, settings: Any) -> None:
    settings.TRUSTED_PROXIES = ["10.0.0.0/8"]
    for number in range(5):
        headers = {"REMOTE_ADDR": "10.0.0.1", "HTTP_X_FORWARDED_FOR": f"1.1.1.{number}, 192.0.2.7"}
        log_in(Client(), "alice", "wrong", **headers)
    forged = {"REMOTE_ADDR": "10.0.0.1", "HTTP_X_FORWARDED_FOR": "1.1.1.99, 192.0.2.7"}
    assert log_in(Client(), "alice", **forged).status_code == 429


def test_guessing_on_neither_lengthens_the_lock_nor_spreads_it(
    alice: User, clean_redis: RedisServer
) -> None:
    """Otherwise one address could lock a user out everywhere, for any time."""
    fail(Client(), "alice", 5)
    with clean_redis.client() as redis:
        counters = {key: redis.get(key) for key in redis.keys("cache:*login:*")}
        assert len(counters) == 3
        fail(Client(), "alice", 20)
        assert {key: redis.get(key) for key in counters} == counters
    assert log_in(Client(), "alice", REMOTE_ADDR="192.0.2.8").status_code == 302
