"""A right that ends in one process ends within a second in the other, for requests and sockets."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from poolsite.runtime.redis_server import RedisServer
from tests.access.processes import (
    DEADLINE_SECONDS,
    Pair,
    assert_in_time,
    code_within,
    two_processes,
)
from tests.support.waiting import patient, until

pytestmark = pytest.mark.processes

PEOPLE = """
from poolsite.access import services
from poolsite.access.models import Account, User
own = services.account_create(slug="own", name="Own", actor="test")
for name in ({names}):
    user = services.user_create(username=name, password="a long password", actor="test")
    services.membership_set(user=user, account=own, roles=["agent"], actor="test")
boss = services.user_create(username="boss", actor="test")
services.membership_set(user=boss, account=own, roles=["owner"], actor="test")
"""
LOG_OUT = """
from poolsite.access import services
from poolsite.access.models import User
services.log_out_everywhere(user=User.objects.get(username="{name}"), actor="test")
"""
NAMES = ["everywhere", "password", "gone", "roles", "logout", "added", "dark", "hung"]


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """A separate Redis, because one test stops it."""
    folder = Path(os.environ["POOLSITE_DATA_DIR"]) / "two"
    server = RedisServer(folder=folder, append_only=False).start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory, redis: RedisServer) -> Iterator[Pair]:
    """Two web processes with a few people."""
    with two_processes(tmp_path_factory.mktemp("two"), redis) as pair:
        pair.manage(PEOPLE.format(names=", ".join(map(repr, NAMES))))
        yield pair


def cached(ask: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Call `ask` until the process answers from its cache. Return that answer."""
    ask()
    before = ask()["lookups"]
    answer = ask()
    assert answer["lookups"] == before, "the second process did not remember"
    return answer


def is_nobody(pair: Pair, session: str) -> bool:
    """Return whether the session is anonymous to the second process."""
    return bool(pair.second.whoami(session=session)["kind"] == "anonymous")


@pytest.mark.parametrize(
    ("name", "verb"),
    [("everywhere", "log_out_everywhere"), ("password", "password"), ("gone", "deactivate")],
)
def test_what_ends_all_sessions_is_noticed_by_the_other_process(
    pair: Pair, name: str, verb: str
) -> None:
    sessions = [pair.first.do("session", user=name) for _browser in range(2)]
    for session in sessions:
        assert cached(partial(pair.second.whoami, session=session))["kind"] == "user"
    sockets = [pair.second.socket(session=session) for session in sessions]
    pair.first.do(verb, user=name)
    for session, socket in zip(sessions, sockets, strict=True):
        assert code_within(socket) == 4401
        assert_in_time(partial(is_nobody, pair, session))


def test_logging_out_ends_that_session_and_no_other(pair: Pair) -> None:
    leaving, staying = (pair.first.do("session", user="logout") for _browser in range(2))
    socket, other = pair.second.socket(session=leaving), pair.second.socket(session=staying)
    pair.first.do("end_session", key=leaving)
    assert code_within(socket) == 4401
    assert pair.second.whoami(session=leaving)["kind"] == "anonymous"
    assert pair.second.whoami(session=staying)["kind"] == "user"
    other.send("who am I?")
    assert other.recv(timeout=patient(5)) == "agent"
    other.close()


def test_a_lost_role_closes_the_socket_and_leaves_the_session(pair: Pair) -> None:
    session = pair.first.do("session", user="roles")
    assert cached(lambda: pair.second.whoami(session=session))["roles"] == ["agent"]
    socket = pair.second.socket(session=session)
    pair.first.do("roles", user="roles", roles="")
    assert code_within(socket) == 4403
    assert_in_time(lambda: pair.second.whoami(session=session)["roles"] == [])
    assert pair.second.whoami(session=session)["kind"] == "user"


def test_a_new_role_counts_at_once_and_closes_nothing(pair: Pair) -> None:
    session = pair.first.do("session", user="added")
    socket = pair.second.socket(session=session)
    cached(lambda: pair.second.whoami(session=session))
    pair.first.do("roles", user="added", roles="agent sender")
    assert_in_time(lambda: pair.second.whoami(session=session)["roles"] == ["agent", "sender"])

    def roles() -> str:
        socket.send("who am I?")
        return str(socket.recv(timeout=patient(5)))

    assert_in_time(lambda: roles() == "agent sender")
    socket.close()


def test_a_revoked_token_is_refused_and_its_socket_closed(pair: Pair) -> None:
    token, secret = pair.first.do("token", seconds=600).split()
    assert cached(lambda: pair.second.whoami(token=secret))["kind"] == "token"
    socket = pair.second.socket(token=secret)
    pair.first.do("revoke", token=token)
    assert code_within(socket) == 4401
    assert_in_time(lambda: pair.second.whoami(token=secret)["kind"] == "anonymous")


def test_a_token_ends_at_its_time_though_nobody_says_so(pair: Pair) -> None:
    began, lives_seconds = time.monotonic(), patient(1.5)
    _token, secret = pair.first.do("token", seconds=lives_seconds).split()
    socket = pair.second.socket(token=secret)
    assert pair.second.whoami(token=secret)["kind"] == "token"
    assert code_within(socket, seconds=10) == 4401
    assert lives_seconds <= time.monotonic() - began < lives_seconds + patient(DEADLINE_SECONDS)
    assert pair.second.whoami(token=secret)["kind"] == "anonymous"


def test_a_visitors_token_ends_with_the_visit(pair: Pair) -> None:
    secret = pair.first.do("visitor_token")
    assert cached(lambda: pair.second.whoami(token=secret))["kind"] == "visitor"
    socket = pair.second.socket(token=secret)
    pair.first.do("visitor_end")
    assert code_within(socket) == 4401
    assert_in_time(lambda: pair.second.whoami(token=secret)["kind"] == "anonymous")


def test_while_redis_hangs_nothing_is_served_from_memory(pair: Pair, redis: RedisServer) -> None:
    """The message about the revocation can't be sent, and the other process must not need it."""
    session = pair.first.do("session", user="hung")
    cached(lambda: pair.second.whoami(session=session))
    assert redis.process is not None
    redis.process.send_signal(signal.SIGSTOP)
    try:
        pair.manage(LOG_OUT.format(name="hung"))
        assert_in_time(lambda: pair.second.whoami(session=session)["kind"] == "anonymous")
        assert not pair.second.whoami(session=session)["listening"]
    finally:
        redis.process.send_signal(signal.SIGCONT)
    until(lambda: pair.second.whoami(session=session)["listening"])


def test_a_message_that_redis_missed_is_sent_when_it_is_back(
    pair: Pair, redis: RedisServer
) -> None:
    """The other process closes its sockets after the outage."""
    session = pair.first.do("session", user="dark")
    socket = pair.second.socket(session=session)
    redis.stop()
    try:
        pair.first.do("log_out_everywhere", user="dark")
        assert pair.second.whoami(session=session)["kind"] == "anonymous"
    finally:
        redis.start()
    assert code_within(socket, seconds=10) == 4401
