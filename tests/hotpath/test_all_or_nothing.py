"""No system's script stops between two writes: neither without memory nor without a channel."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest
import redis
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from poolsite import hotpath
from poolsite.runtime.redis_server import RedisServer
from tests.admission.gate_support import gate_on
from tests.admission.test_gate_model import GateMachine
from tests.billing.wallet.test_wallet_model import Wallets
from tests.billing.wallet.wallet_support import wallet_on
from tests.dispatch.dispatcher.group_support import group_on
from tests.dispatch.dispatcher.test_group_model import GroupMachine
from tests.hotpath.starving import StarvingPath
from tests.line.desk.desk_support import desk_on
from tests.line.desk.test_desk_laws import DeskMachine
from tests.numbers.pool_support import pool_on
from tests.numbers.test_pool_model import PoolMachine
from tests.support.clock import ScriptClock

On = Callable[[str, ScriptClock], AbstractContextManager[Any]]

# Each system's model with its random histories, and how many of them are run.
SYSTEMS = {
    "numbers": (PoolMachine, pool_on, 8),
    "line": (DeskMachine, desk_on, 4),
    "admission": (GateMachine, gate_on, 8),
    "dispatch": (GroupMachine, group_on, 2),
    "billing": (Wallets, wallet_on, 8),
}

each_system = pytest.mark.parametrize(("machine", "on", "examples"), SYSTEMS.values(), ids=SYSTEMS)


def play(machine: Any, bench: Any, examples: int) -> None:
    """Run random histories, which the model checks."""
    bound = type("Bound", (machine,), {"bench": bench, "clock": bench.clock})
    run_state_machine_as_test(
        bound,
        settings=settings(
            max_examples=examples,
            stateful_step_count=30,
            database=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )


@each_system
@pytest.mark.parametrize("by_scripts", [False, True], ids=["functions", "scripts"])
def test_what_a_redis_without_memory_refuses_has_changed_nothing(
    machine: Any,
    on: On,
    examples: int,
    by_scripts: bool,
    test_clock: ScriptClock,
    redis_server: RedisServer,
) -> None:
    """Commands that give memory back are never refused."""
    with on(redis_server.url, test_clock) as bench:
        bench.path.close()
        bench.path = path = StarvingPath(redis_server.url, bench.client, by_scripts=by_scripts)
        play(machine, bench, examples)
        path.close()
    assert len(path.seen.refused) >= 3, path.seen
    assert sum(path.seen.refused.values()) >= 20, path.seen


@contextmanager
def no_channels(client: Any) -> Iterator[None]:
    """Take the right to publish from the default user during the block."""
    client.execute_command("ACL", "SETUSER", "default", "resetchannels")
    try:
        yield
    finally:
        client.execute_command("ACL", "SETUSER", "default", "allchannels")


@each_system
def test_without_a_right_to_publish_every_answer_and_every_key_is_as_with_it(
    machine: Any, on: On, examples: int, test_clock: ScriptClock, redis_server: RedisServer
) -> None:
    """A lost wake only delays a watcher, which reads again after a while."""
    with on(redis_server.url, test_clock) as bench, no_channels(bench.client):
        bench.path.close()
        bench.path = path = hotpath.HotPath(redis_server.url)
        play(machine, bench, examples)
        refused = [e for e in bench.client.acl_log() if e["reason"] == "channel"]
        bench.client.acl_log_reset()
        path.close()
    assert refused, "nothing was published: this shows nothing"


FIRST = {
    "takes memory": ("redis.call('HSET', KEYS[1], 'a', '1')", False),
    "gives memory back": ("redis.call('ZREM', KEYS[2], 'one')", True),
    "finds nothing to give back": ("redis.call('HDEL', KEYS[1], 'none')", True),
    "only publishes": ("redis.pcall('PUBLISH', KEYS[1], '')", False),
}


@pytest.mark.parametrize(("first", "goes_on"), FIRST.values(), ids=FIRST)
def test_redis_looks_at_its_memory_before_a_scripts_first_write_only(
    each_redis: RedisServer, first: str, goes_on: bool
) -> None:
    """The tests above rely on this rule, which holds for every server that we support."""
    script = f"{first} redis.call('HSET', KEYS[1], 'b', '1') redis.call('HSET', KEYS[1], 'c', '1')"
    with each_redis.client() as client:
        client.zadd("z", {"one": 1})
        client.config_set("maxmemory", 1)
        try:
            if goes_on:
                client.eval(script, 2, "h", "z")
            else:
                with pytest.raises(redis.exceptions.RedisError, match="used memory"):
                    client.eval(script, 2, "h", "z")
        finally:
            client.config_set("maxmemory", 0)
        assert client.hgetall("h") == ({"b": "1", "c": "1"} if goes_on else {})
