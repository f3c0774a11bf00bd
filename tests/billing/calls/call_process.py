"""A process that makes and charges calls, for tests that kill it. See `main` for its verbs.

Scripts see a clock that the processes advance, so that no test waits for an interval to pass.
"""

import asyncio
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import poolsite  # noqa: F401  first: see poolsite/__init__.py
from poolsite.hotpath.scripts import preluded_with
from tests.support.clock import KEY, TEST_PRELUDE, ScriptClock

CALL = "a"
BEAT_SECONDS = 0.1  # how often the sweep runs
RATED = "rated"  # the prefix of the names of pools whose calls have a rate, by the second
SECOND_PRICE, FEE = 600, 50


def prepare(slug: str, numbers: str, interval: str) -> None:
    """Make an account with a charged pool, whose unconfirmed holds end after a second."""
    from numbers.models import Pool

    if not Pool.objects.filter(slug=slug).exists():
        _make(slug, numbers, interval)


def _make(slug: str, numbers: str, interval: str) -> None:
    from billing import servers
    from billing import wallet as commands
    from billing.pricing.calls import Rate
    from billing.services.tariffs import tariff_create
    from tests.billing.api.shop import PRICES, make_shop
    from tests.numbers.people import make_pool

    shop = make_shop(slug)
    if slug.startswith(RATED):
        rate = Rate("", "Everywhere", SECOND_PRICE * 60, 1, 1, FEE)
        tariff_create(
            actor="test",
            account=shop.account,
            name="rates",
            prices=PRICES,
            replace=True,
            call_rates=[rate],
        )
    settings = commands.WalletSettings(unsent_call_seconds=1)
    servers.path(shop.wallet).run(commands.configure(slug, settings))
    pool = make_pool(
        slug, account=shop.account, charged=True, charge_interval_seconds=int(interval)
    )
    if int(numbers):
        from numbers import services

        first = 13_000_000_000 + 1_000 * pool.pk
        values = [f"+86{first + index}" for index in range(int(numbers))]
        services.numbers_add(actor="test", pool=pool, values=values)
        from tests.numbers.people import register

        register(slug, *values)


def call(slug: str, numbers: str = "1", interval: str = "3600") -> None:
    """Begin one call as the hot lane does, and print its answer."""
    prepare(slug, numbers, interval)
    from numbers.api import processing
    from numbers.pool import Event
    from poolsite.access import Principal

    async def ask() -> tuple[int, dict[str, Any]]:
        from numbers.api.directory import POOLS

        ref = await POOLS.get(slug)
        assert ref is not None
        event = Event.model_validate({"event": "call", "call_id": CALL, "switch": "fs1"})
        return await processing.one(ref, Principal(kind="user"), event)

    print(json.dumps(asyncio.run(ask())))


def clock() -> ScriptClock:
    """Return the clock of all these processes, as the last one left it."""
    from poolsite import hotpath

    client = hotpath.client()
    return ScriptClock(client, int(client.get(KEY) or time.time() * 1_000_000))


def sweeps(slug: str, interval: str = "1") -> None:
    """Begin a call with intervals of a second and sweep until this process is killed."""
    from numbers.services import sweep_charges

    call(slug, interval=interval)
    for _ in range(300):
        sweep_charges()
        clock().advance(BEAT_SECONDS)


def neglect(slug: str, seconds: str, interval: str = "1") -> None:
    """Begin a call with intervals of a second that ends while no sweep runs; then sweep once."""
    from numbers.services import sweep_charges
    from tests.numbers.people import send

    call(slug, interval=interval)
    clock().advance(float(seconds))  # no sweep runs during this time
    send(slug, "hangup", call_id=CALL)
    sweep_charges()


def recover(slug: str, running_seconds: str) -> None:
    """Sweep as the surviving workers do, until everything is settled, and judge.

    A running call continues for `running_seconds`, then it is hung up.
    """
    from numbers import pool as pool_commands
    from numbers.services import sweep_charges
    from poolsite import hotpath
    from tests.numbers.people import send

    client = hotpath.client()
    keys = pool_commands.PoolKeys(slug)
    started = _start_of(slug)
    end_us = clock().now_us + float(running_seconds) * 1_000_000
    while clock().now_us < end_us or _vouchers(client, keys.charges):
        _sweep_all(slug)
        clock().advance(BEAT_SECONDS)
    known = client.hget(keys.tag, f"c:{CALL}") or ""
    before = _figures(slug)
    if known.startswith("L"):
        started = started or _start_of(slug)
        assert send(slug, "hangup", call_id=CALL).ok
    for _ in range(200):
        if not _unsettled(slug):
            break
        _sweep_all(slug)
        clock().advance(BEAT_SECONDS)
    sweep_charges()
    known = client.hget(keys.tag, f"c:{CALL}") or ""
    print(
        json.dumps(
            {
                "before": before,
                "after": _figures(slug),
                "began": known.startswith("E"),
                "started_us": started or _logged_start(slug),
                "ended_us": int(known[1:17]) if known.startswith("E") else 0,
                "notes": [each[0] for each in client.zrange(keys.charges, 0, -1)],
            }
        )
    )


def _sweep_all(slug: str) -> None:
    from billing import wallet as commands
    from numbers.services import sweep_charges
    from poolsite import hotpath

    sweep_charges()
    hotpath.run(commands.sweep(slug))


def _vouchers(client: Any, charges: str) -> bool:
    return any(note[0] in "vt" for note in client.zrange(charges, 0, -1))


def _unsettled(slug: str) -> bool:
    """Return whether there is work left. A note of an interval far in the future does not count."""
    from numbers import pool as pool_commands
    from poolsite import hotpath

    now_us = clock().now_us
    notes = hotpath.client().zrange(pool_commands.PoolKeys(slug).charges, 0, -1, withscores=True)
    soon = [note for note, at_us in notes if at_us < now_us + 60_000_000]
    return bool(soon or _figures(slug)["held"])


def _start_of(slug: str) -> int:
    """Return when the running call began, or 0 if none runs."""
    from numbers import pool as pool_commands
    from poolsite import hotpath

    client = hotpath.client()
    keys = pool_commands.PoolKeys(slug)
    known = client.hget(keys.tag, f"c:{CALL}") or ""
    if not known.startswith("L"):
        return 0
    return int(json.loads(client.hget(keys.numstate, known[1:]))["at"])


def _logged_start(slug: str) -> int:
    from numbers import pool as pool_commands
    from poolsite import hotpath

    for _, fields in hotpath.client().xrange(pool_commands.PoolKeys(slug).log):
        if fields["e"].startswith("call\t"):
            return int(fields["at"])
    return 0


def _figures(slug: str) -> dict[str, Any]:
    """Return the money and what was settled. Fail if an equation is violated."""
    from billing import wallet as commands
    from billing.models import Wallet
    from poolsite import hotpath
    from tests.billing.calls.call_support import holds_of

    balance = hotpath.run(commands.balance(slug))
    proof = hotpath.run(commands.open_holds(slug))
    assert balance is not None
    assert proof is not None
    assert (proof.total, proof.wrong) == (balance.held, 0)
    assert min(balance.bal, balance.held) >= 0
    wallet = Wallet.objects.select_related("account").get(account__slug=slug)
    assert wallet.spendable + balance.pend == balance.bal
    states = [each.state for each in holds_of(wallet).values()]
    return {
        "spent": 1_000_000 - balance.bal - balance.held,
        "held": balance.held,
        "settled": states.count("settled"),
        "open": states.count("held") + states.count("sent"),
    }


def audit() -> None:
    """Run `manage.py audit`."""
    from django.core.management import call_command

    call_command("audit")


def main(verb: str, *arguments: str) -> None:
    """call slug [numbers interval] · sweeps slug [interval] · neglect slug seconds [interval] ·
    recover slug seconds · audit
    """
    import django

    django.setup()
    from numbers.services import charging

    charging.VOUCHER_SECONDS = 1
    verbs: dict[str, Callable[..., None]] = {
        "prepare": prepare,
        "call": call,
        "sweeps": sweeps,
        "neglect": neglect,
        "recover": recover,
        "audit": audit,
    }
    with preluded_with(TEST_PRELUDE):
        clock()
        verbs[verb](*arguments)


if __name__ == "__main__":
    main(*sys.argv[1:])
