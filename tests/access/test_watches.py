"""Open sockets: closed when the credential behind them ends or loses rights."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from poolsite import access
from poolsite.access import Principal, lookup
from poolsite.access.rights import watches
from poolsite.access.rights.cache import LOOKUP_THREADS, principal_of_credential
from poolsite.access.rights.changes import bump
from poolsite.access.rights.hub import HUB
from tests.access.fake_sql import ALICE, Sql
from tests.support.waiting import eventually, patient


class Socket:
    """The socket for `watch`, which calls `closed`."""

    def __init__(self) -> None:
        self.codes: list[int] = []

    async def closed(self, code: int) -> None:
        self.codes.append(code)


async def heard(socket: Socket, code: int) -> None:
    """Wait until the socket was closed with this code."""
    await eventually(lambda: socket.codes)
    assert socket.codes == [code]


async def change(kind: str, identity: str) -> None:
    """Announce that an identity's rights have changed. Return when every watch was notified."""
    told, loop = asyncio.Event(), asyncio.get_running_loop()

    def hear(*whose: str) -> None:
        if whose == (kind, identity):
            loop.call_soon_threadsafe(told.set)

    HUB.subscribe(hear)  # after the watches
    try:
        bump(kind, identity)
        async with asyncio.timeout(patient(10)):
            await told.wait()
    finally:
        HUB._listeners.remove(hear)


async def lose_all_during_a_read(sql: Sql) -> None:
    """End the credential while a read is blocked. Then let the read return its old result."""
    await eventually(sql.reading.is_set)
    sql.answer = access.ANONYMOUS
    await change("user", "1")
    sql.go_on.set()


async def test_a_right_that_ended_before_the_watch_began_closes_the_socket(sql: Sql) -> None:
    principal = await principal_of_credential("session:a")
    sql.answer = access.ANONYMOUS
    socket = Socket()
    access.watch(principal, socket.closed)
    await heard(socket, 4401)
    assert watches.watched() == 0


async def test_a_change_during_the_watchs_own_read_is_not_missed(sql: Sql) -> None:
    sql.go_on.clear()
    socket = Socket()
    access.watch(ALICE, socket.closed)
    await lose_all_during_a_read(sql)
    await heard(socket, 4401)


async def test_the_sockets_of_one_person_share_reads_that_are_new_enough(sql: Sql) -> None:
    """A read that started before a socket requested one is older than the change it heard of."""
    sql.go_on.clear()
    sockets = [Socket() for _ in range(60)]
    for socket in sockets:
        access.watch(ALICE, socket.closed)
    await lose_all_during_a_read(sql)
    for socket in sockets:
        await heard(socket, 4401)
    assert sql.reads <= 3 * LOOKUP_THREADS  # those blocked, their repetitions, those that waited


async def test_fewer_rights_close_with_4403_and_more_are_taken_over(sql: Sql) -> None:
    own = replace(ALICE, memberships={1: frozenset({"agent"})})
    sql.answer = own
    socket = Socket()
    eye = access.watch(own, socket.closed)
    sql.answer = replace(own, memberships={1: frozenset({"agent", "owner"})})
    bump("user", "1")
    await eventually(lambda: eye.principal.roles_in(1) == {"agent", "owner"})
    assert socket.codes == []
    sql.answer = replace(own, memberships={1: frozenset({"owner"})})
    bump("user", "1")
    await heard(socket, 4403)


async def test_a_socket_whose_rights_cannot_be_known_is_closed_to_come_again(
    sql: Sql, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_args: Any, **_options: Any) -> Principal:
        raise OSError("no database")

    monkeypatch.setattr(lookup, "of_credential", broken)
    socket = Socket()
    access.watch(ALICE, socket.closed)
    await heard(socket, 1013)


async def test_a_closed_watch_hears_nothing(sql: Sql) -> None:
    socket = Socket()
    eye = access.watch(ALICE, socket.closed)
    eye.close()
    eye.close()
    sql.answer = access.ANONYMOUS
    other = Socket()
    access.watch(ALICE, other.closed)
    await change("user", "1")
    await heard(other, 4401)
    assert socket.codes == []
    assert watches.watched() == 0


async def test_nobody_has_nothing_to_lose(sql: Sql) -> None:
    eye = access.watch(access.ANONYMOUS, Socket().closed)
    assert watches.watched() == 0
    eye.close()


@pytest.mark.parametrize(
    ("now", "same"),
    [
        ({}, True),
        ({"name": "Alice B."}, True),
        ({"grants": frozenset({"operate", "finance"})}, True),
        ({"grants": frozenset()}, False),
        ({"is_operator": False}, False),
        ({"memberships": {}}, False),
        ({"memberships": {1: frozenset({"agent", "owner"})}}, True),
        ({"thing_grants": frozenset()}, False),
        ({"id": "2"}, False),
    ],
)
def test_rights_are_the_same_when_none_was_taken_away(now: dict[str, Any], same: bool) -> None:
    before = replace(
        ALICE,
        is_operator=True,
        grants=frozenset({"operate"}),
        thing_grants=frozenset({("supervise", "desk:a", None)}),
        memberships={1: frozenset({"agent"})},
    )
    assert before.same_rights(replace(before, **now)) is same
