"""Data for the tests of restoring, in the environment of a site, and its figures as JSON.

python tests/backup/world.py make | hold NAME | heal | report | figures
"""

import json
import sys
from collections.abc import Callable

import poolsite  # noqa: F401  first: see poolsite/__init__.py

WALLET, POOL, NUMBER = "south", "night", "+8613800000007"
BALANCE = 10_000
SWEEPS = ("history.drain", "billing.persist", "billing.watch", "numbers.watch")
ROUNDS = 20


def main() -> None:
    import django

    django.setup()
    verb, *words = sys.argv[1:]
    verbs: dict[str, Callable[..., None]] = {
        each.__name__: each for each in (make, hold, heal, report, figures)
    }
    verbs[verb](*words)


def make() -> None:
    """Create a pool of 20 numbers, one of them in a call, and an account with money."""
    from numbers import pool as commands
    from numbers import services
    from poolsite import hotpath
    from tests.billing.books.book_support import live_wallet

    live_wallet(WALLET, spendable=BALANCE)
    pool = services.pool_create(actor="test", slug=POOL)
    services.number_add_range(
        actor="test", pool=pool, first="+8613800000000", last="+8613800000019"
    )
    for asked in (
        commands.Event.of("reg", NUMBER),
        commands.Event.of("call", callee="+8613900000000", call_id="call-1", switch="switch-1"),
    ):
        outcome = hotpath.run(commands.event(POOL, asked))
        assert outcome.ok, outcome


def hold(name: str) -> None:
    from billing.models import Wallet
    from tests.billing.books.book_support import held

    assert held(Wallet.objects.get(account__slug=WALLET), name).state == "held"


def heal() -> None:
    """Run the workers' sweeps until no wallet is recovering."""
    from billing.models import Wallet
    from poolsite import jobs

    for _ in range(ROUNDS):
        for name in SWEEPS:
            sweep = jobs.sweeps()[name]
            for shard in range(sweep.shards):
                sweep.run(shard, sweep.shards)
        if not Wallet.objects.exclude(recovering_since=None).exists():
            return
    raise AssertionError("a wallet does not recover")


def report() -> None:
    """Let the switch report that its call continues."""
    from numbers import pool as commands
    from poolsite import hotpath

    its = commands.Event.of("call", NUMBER, call_id="call-1", switch="switch-1")
    outcome = hotpath.run(commands.event(POOL, its))
    assert outcome.ok, outcome


def figures() -> None:
    from billing.models import Message, Wallet
    from numbers import pool as commands
    from poolsite import hotpath
    from tests.billing.books.book_support import figures

    row = Wallet.objects.get(account__slug=WALLET)
    live, pool = figures(row), hotpath.run(commands.show(POOL))
    print(
        json.dumps(
            {
                "sql": [row.spendable, row.held],
                "redis": [live.bal, live.held] if live else None,
                "messages": sorted(Message.objects.values_list("message_id", flat=True)),
                "pool": [pool.status, pool.numbers] if pool else None,
                "generation": row.generation,
            }
        )
    )


if __name__ == "__main__":
    main()
