"""A Redis at its maxmemory still runs what gives memory back, as functions and as scripts."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest

from numbers import pool
from poolsite import hotpath
from poolsite.api.gather import run_lists
from poolsite.hotpath.routing import SERVER
from poolsite.jobs import lease
from poolsite.runtime.redis_server import RedisServer
from queueing.admission import gate
from queueing.dispatch import dispatcher
from queueing.line import desk
from tests.admission.gate_support import SLUG as GATE
from tests.admission.gate_support import gate_on
from tests.billing.wallet.wallet_support import KEYS as WALLET
from tests.billing.wallet.wallet_support import wallet_on
from tests.dispatch.dispatcher.group_support import SLUG as GROUP
from tests.dispatch.dispatcher.group_support import group_on
from tests.hotpath.starving import ONCE
from tests.line.desk.desk_support import SLUG as DESK
from tests.line.desk.desk_support import desk_on
from tests.numbers.pool_support import SLUG as POOL
from tests.numbers.pool_support import pool_on
from tests.support.clock import ScriptClock

On = Callable[..., AbstractContextManager[Any]]
Bench = Callable[[On], Any]
CALLS = {"agent": "a1", "callee": "0301"}


@contextmanager
def full(bench: Any) -> Iterator[None]:
    """Leave the server without memory during the block."""
    bench.client.config_set("maxmemory", 1)
    try:
        yield
    finally:
        bench.client.config_set("maxmemory", 0)


@pytest.fixture(params=["functions", "scripts"])
def on(
    request: pytest.FixtureRequest, clean_redis: RedisServer, test_clock: ScriptClock
) -> Iterator[Bench]:
    """A function that opens a system's bench, with all commands as functions or all as scripts."""
    opened: list[AbstractContextManager[Any]] = []

    def open_one(system: On) -> Any:
        opened.append(system(clean_redis.url, test_clock))
        bench = opened[-1].__enter__()
        bench.path.close()
        bench.path = hotpath.HotPath(clean_redis.url, ONCE)
        if request.param == "scripts":
            bench.path.planner.scripts_only.add(SERVER)
        return bench

    yield open_one
    for each in opened:
        each.__exit__(None, None, None)


def by_functions(bench: Any) -> bool:
    return not bench.path.planner.scripts_only


def refused(bench: Any, command: hotpath.Command[Any]) -> bool:
    (outcome,) = bench.path.run_batch([command])
    return isinstance(outcome, hotpath.Unavailable) and "OOM" in str(outcome)


async def test_numbers_come_back_and_none_are_given_out(on: Bench) -> None:
    bench = on(pool_on).create(lease_seconds=60)
    bench.add("100", "101", "102")
    first = bench.event("call", call_id="c1", **CALLS).number
    second = bench.event("call", call_id="c2", **CALLS).number
    third = bench.event("call", call_id="c3", **CALLS).number
    with full(bench):
        assert bench.event("hangup", call_id="c1").ok
        assert bench.event("renew", second, call_id="c2").ok
        assert refused(bench, pool.event(POOL, pool.Event.of("add", "103")))
        hangup, add = pool.Event.of("hangup", call_id="c2"), pool.Event.of("add", "103")
        (outcomes,) = await run_lists(bench.path, pool.events, [(POOL, [add, hangup, add])])
        assert [isinstance(each, hotpath.Full) for each in outcomes] == [True, False, True]
        assert outcomes[1].ok
        if by_functions(bench):  # a call's script first takes the number out of a list
            assert refused(bench, pool.event(POOL, pool.Event.of("call", call_id="c4", **CALLS)))
    for _ in range(3):
        bench.advance(60)
        with full(bench):
            bench.sweep()  # the third call's lease ends
    assert not any(bench.state(number).busy for number in (first, second, third))
    assert bench.problems() == []
    assert bench.event("call", call_id="c4", **CALLS).ok
    await bench.path.aclose()


async def test_permits_end_and_none_are_granted(on: Bench) -> None:
    bench = on(gate_on).create(cap=4)
    tokens = {name: bench.acquire(name).token for name in "abc"}
    with full(bench):
        assert bench.run(gate.release(GATE, "a", tokens["a"])).done
        assert bench.renew("b", tokens["b"]).granted
        assert refused(bench, gate.acquire(GATE, "d"))
        batch = [gate.to_acquire("d"), gate.to_release("b", tokens["b"]), gate.to_acquire("e")]
        (outcomes,) = await run_lists(bench.path, gate.requests, [(GATE, batch)])
        assert [isinstance(each, hotpath.Full) for each in outcomes] == [True, False, True]
        assert outcomes[1].done
    bench.wait(301)
    with full(bench):
        assert bench.sweep().expired == 1
    assert bench.show().used == 0
    bench.check_structure()
    await bench.path.aclose()


def test_rooms_end_and_nobody_joins(on: Bench) -> None:
    bench = on(desk_on).create()
    bench.queue(1)
    bench.agent(7, 1, online=True)
    for name in ("a", "b", "c"):
        bench.join(name)
    with full(bench):
        assert bench.finish(7, "a").answer == "ok"
        assert bench.run(desk.leave(DESK, "c")).answer == "ended"
        assert bench.agent_beat(7).slots[0].visit == "b"
        assert refused(bench, desk.join(DESK, "d", 1))
        assert refused(bench, desk.joins(DESK, [desk.Join("d", 1)]))
    for _ in range(20):  # b stops responding, and is lost
        bench.clock.advance(4)
        with full(bench):
            bench.beats(7)
            bench.sweep()
    assert bench.visit("b").state == "ended"
    assert bench.wrong() == []


def test_frames_leave_their_outbox_and_sessions_end(on: Bench) -> None:
    bench = on(group_on).create()
    front, back = bench.front(), bench.back()
    assert front.start("1").outcome == front.message("f1/1").outcome == "routed"
    with full(bench):
        assert bench.run(dispatcher.ack(GROUP, back.key, back.link, 1)) == 1
        assert front.end("f1/1").outcome == "routed"
        assert back.heard().ok
        with pytest.raises(hotpath.Unavailable, match="OOM"):
            front.start("2")
        front.seq -= 1
        assert back.lose()
        assert bench.sweep()
    assert bench.route("f1/1") is None
    bench.check_structure()


def test_money_is_given_back_or_settled_as_it_was_held(on: Bench) -> None:
    bench = on(wallet_on).create(balance=10_000_000)
    for name in ("m1", "m2", "m3"):
        assert bench.hold(name).answer == "held"
    bench.sent("m2", "m3")
    with full(bench):
        assert bench.cancel("m1").answer == "cancelled"
        assert bench.report("delivered", "m2").answer == "settled"
        with pytest.raises(hotpath.Unavailable, match="OOM"):
            bench.hold("m4")
    bench.pass_time(8 * 86_400)
    with full(bench):
        bench.sweep()
        bench.prove()
        assert len(bench.persist()) == 1
    assert (bench.balance().held, bench.client.xlen(f"{WALLET.tag}:log")) == (0, 0)
    assert [bench.state(name) for name in ("m1", "m2", "m3")] == ["cancelled", "settled", "expired"]


def test_history_is_trimmed_and_a_sweeper_keeps_its_lease(
    on: Bench, clean_redis: RedisServer
) -> None:
    bench = on(gate_on).create(cap=4)
    bench.acquire("a")
    command = lease.command("acquire", "{sweep.x}", "me", 30)
    with full(bench):
        assert bench.run(command)[0] == "1"
        assert bench.run(lease.command("renew", "{sweep.x}", "me", 30))[0] == "1"
        trim = hotpath.registered()["history/trim"]
        keys = (f"{{gate.{GATE}}}", f"{{gate.{GATE}}}:log")
        generation = bench.client.hget(keys[0], "generation")
        reply = bench.client.eval(trim.text, 2, *keys, generation, 1, 0)
        assert reply[0] == "1"
