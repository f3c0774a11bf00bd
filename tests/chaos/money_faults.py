"""Faults that are aimed at money: an old primary, read-only SQL, a hot account, sockets.

Each fault judges what can only be seen while it lasts. What must be true afterwards is judged
as after every fault.
"""

import random
import time

import redis

from tests.chaos import money, money_load, money_sockets
from tests.chaos.catalogue import fault
from tests.chaos.money import BrokenBooksError
from tests.chaos.stack import Stack
from tests.chaos.stack_view import DATABASE

# Limits of what customers see while the machine is under load, not of speed: `make bench`.
COLD_P99_SECONDS = 3.0
HOT_SHARE = 0.9
RECONNECTS = 500


# -- case 9: an old primary that comes back --------------------------------------------------------


@fault(loses=True)
def old_primary(stack: Stack, chance: random.Random) -> str:
    """Promote a lagging replica while half of the clients still use the old primary.

    The old primary must accept nothing any more: its writes would be lost, its numbers used twice.
    """
    lag, together = chance.uniform(1.0, 3.0), chance.uniform(4.0, 8.0)
    old = stack.redis.keep_old_primary(lag)
    with old.client() as client:
        before = _sequences(stack, client)
        time.sleep(together)
        after = _sequences(stack, client)
    moved = {tag: (before[tag], after[tag]) for tag in before if before[tag] != after[tag]}
    stack.redis.demote(old)
    time.sleep(2.0)  # READONLY for clients that are still there
    stack.redis.end_old_primary(old)
    if moved:
        raise BrokenBooksError(f"the old primary went on after the promotion: {moved}")
    return f"a replica {lag:.1f} s behind promoted, the old primary there for {together:.1f} s more"


def _sequences(stack: Stack, client: "redis.Redis") -> dict[str, str | None]:
    tags = [f"{{acct.{slug}}}" for slug in money.accounts(stack)]
    return {tag: client.hget(tag, "seq") for tag in [*tags, *(f"{{{p}}}" for p in stack.pools)]}


# -- case 19: SQL takes nothing --------------------------------------------------------------------


@fault()
def read_only_sql(stack: Stack, chance: random.Random) -> str:
    """Make SQL read-only: it answers but accepts no writes.

    Charging continues, nothing is trimmed.
    """
    seconds = chance.uniform(8.0, 15.0)
    before = money.handed_over(stack)
    set_read_only(stack, on=True)
    try:
        time.sleep(seconds)
        ahead = money.trimmed_too_early(stack)
    finally:
        set_read_only(stack, on=False)
    if ahead:
        raise BrokenBooksError(f"trimmed in Redis, and not in SQL: {ahead}")
    if money.handed_over(stack) == before:
        raise BrokenBooksError(f"nothing was charged while SQL was read-only for {seconds:.0f} s")
    return f"SQL read-only for {seconds:.1f} s"


def set_read_only(stack: Stack, *, on: bool) -> None:
    """Switch read-only for every session of the product's database. Existing sessions are ended."""
    setting = "SET default_transaction_read_only = on" if on else "RESET ALL"
    with stack.postgres.connect() as connection:
        connection.execute(f"ALTER DATABASE {DATABASE} {setting}".encode())
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [DATABASE]
        )


# -- case 28: a hot account ------------------------------------------------------------------------


@fault()
def hot_account(stack: Stack, _chance: random.Random) -> str:
    """Let one account take nine tenths of everything; the others must still be served."""
    chatbots = stack.simulation["chatbots"]
    with money_load.Cold(stack, chatbots[1:]) as cold:
        cold.serve(4.0)
        alone = cold.p99_seconds()
        cold.forget()
        with money_load.Hot(stack, chatbots[0]) as hot:
            cold.serve(10.0)
        beside = cold.p99_seconds()
        share = hot.served / (hot.served + cold.served)
    if cold.failed:
        raise BrokenBooksError(f"{len(cold.failed)} cold requests failed: {cold.failed[:3]}")
    if beside > COLD_P99_SECONDS:
        raise BrokenBooksError(f"cold accounts waited {beside:.2f} s (p99), {alone:.2f} s before")
    if share < HOT_SHARE:
        raise RuntimeError(f"the hot account had only {share:.0%} of the load")
    return (
        f"{hot.served} items of a hot account ({share:.0%});"
        f" cold p99 {alone * 1000:.0f} → {beside * 1000:.0f} ms"
    )


# -- case 30: a storm of sockets -------------------------------------------------------------------


@fault()
def reconnect_storm(stack: Stack, chance: random.Random) -> str:
    """Open and close five hundred sockets while the balance moves in bursts.

    Readers that stayed must know when they missed something, and show what is stored.
    """
    chatbot = chance.choice(stack.simulation["chatbots"])
    with money_load.Hot(stack, chatbot, pause_seconds=0.5):
        storm = money_sockets.storm(stack, chatbot, RECONNECTS)
    wrong = [*storm.wrong, *money_sockets.shown_is_stored(storm)]
    if wrong:
        raise BrokenBooksError(f"{len(wrong)} readers of a balance were wrong: {wrong[:3]}")
    return f"{storm.reconnects} reconnects, {storm.frames} frames, {storm.gaps} gaps fetched again"
