"""Every ordering of events of one message: the wallet does what the table says, step by step.

Each sequence of four out of thirteen events has its own message. Sequences with the same
passing of time run side by side in one wallet, in list commands.
"""

import itertools
import os
from collections.abc import Iterator

import pytest

from billing import wallet
from billing.wallet import BATCH_LIMIT, Charge
from poolsite.hotpath import Command
from poolsite.runtime.redis_server import RedisServer
from tests.billing.wallet.model import Model, as_list
from tests.billing.wallet.wallet_support import (
    HOURS_72,
    QUOTE,
    SLUG,
    WalletUnderTest,
    report_of,
    request,
    wallet_on,
)
from tests.support.clock import ScriptClock

# WALLET_ORDERINGS=5 takes sequences of five events: 371 293 of them.
LENGTH = int(os.environ.get("WALLET_ORDERINGS", "4"))
MONEY = 10**12
DEAR = wallet.Quote({"native_card": 2 * MONEY}, 7)
TIMES = {"72 h passed": HOURS_72 + 0.001, "unsent deadline passed": 600.001}
REPORTS = ("interim", "unreadable", "failed", "native_card", "yuexin_text", "video")
EVENTS = ("hold", "hold other", "hold dear", "sent", "cancel", *REPORTS)
SCRIPT_OF = {"hold": "hold", "hold other": "hold", "hold dear": "hold"} | dict.fromkeys(
    REPORTS, "report"
)
# The steps that are time, with their lengths; the other steps are events.
PATTERNS = list(itertools.product(("event", *TIMES), repeat=LENGTH))


def requested(event: str, name: str) -> wallet.HoldRequest:
    if event == "hold other":
        return request(name, "other")
    return request(name, quote=DEAR if event == "hold dear" else QUOTE)


def modelled(model: Model, event: str, name: str) -> Charge:
    if event.startswith("hold"):
        return model.hold(requested(event, name))
    if event == "sent":
        return model.sent(name)
    if event == "cancel":
        return model.cancel(name)
    return model.report(name, event)


def command_of(kind: str, steps: list[tuple[str, str]]) -> Command:
    """Return the list command of steps (event, message) of one kind."""
    names = [name for _, name in steps]
    if kind == "hold":
        return wallet.hold_many(SLUG, [requested(event, name) for event, name in steps])
    if kind == "report":
        return wallet.report_many(SLUG, [report_of(event, name) for event, name in steps])
    return (wallet.sent if kind == "sent" else wallet.cancel_many)(SLUG, names)


def lists(steps: list[tuple[str, str]]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Group steps by their script, and cut each group into list commands."""
    steps = sorted(steps, key=lambda step: SCRIPT_OF.get(step[0], step[0]))
    for kind, group in itertools.groupby(steps, key=lambda step: SCRIPT_OF.get(step[0], step[0])):
        ordered = list(group)
        for start in range(0, len(ordered), BATCH_LIMIT):
            yield kind, ordered[start : start + BATCH_LIMIT]


def take_step(bench: WalletUnderTest, model: Model, steps: list[tuple[str, str]]) -> None:
    commands, expected = [], []
    for kind, part in lists(steps):
        commands.append(command_of(kind, part))
        charges = [modelled(model, event, name) for event, name in part]
        expected.append(as_list(charges, model.bal, model.seq))
    assert bench.path.run_batch(commands) == expected


def pass_time(bench: WalletUnderTest, model: Model, seconds: float, *, swept: bool) -> None:
    model.now = model.clock = bench.pass_time(seconds)
    if swept:
        sweep(bench, model)


def sweep(bench: WalletUnderTest, model: Model) -> None:
    """Sweep to the end. The model ends the same messages in the order of their deadlines."""
    while bench.sweep(1_000).more:
        pass
    due = sorted(
        (model.due(message), name)
        for name, message in model.messages.items()
        if message.state in ("held", "sent")
    )
    for _, name in due:
        model.by_time(name)
    for name, _ in sorted(model.messages.items(), key=lambda item: (item[1].since, item[0])):
        model.by_time(name)


@pytest.mark.parametrize("swept", [True, False], ids=["swept", "before the sweep"])
@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: ", ".join(pattern))
def test_every_ordering_follows_the_table(
    test_clock: ScriptClock, clean_redis: RedisServer, pattern: tuple[str, ...], swept: bool
) -> None:
    with wallet_on(clean_redis.url, test_clock) as bench:
        bench.create(MONEY)
        model = Model(bench.settings, test_clock.now_us, MONEY)
        sequences = list(itertools.product(EVENTS, repeat=pattern.count("event")))
        done = 0
        for step in pattern:
            if step == "event":
                take_step(
                    bench,
                    model,
                    [(events[done], f"m{i:05d}") for i, events in enumerate(sequences)],
                )
                done += 1
            else:
                pass_time(bench, model, TIMES[step], swept=swept)
        check(bench, model)


def check(bench: WalletUnderTest, model: Model) -> None:
    now = bench.balance()
    assert (now.bal, now.held, now.seq) == (model.bal, model.held, model.seq)
    changes: list[wallet.WalletChange] = []
    while len(changes) < now.seq:
        changes += bench.changes(len(changes))
    assert changes == model.entries
    holds = bench.run(wallet.open_holds(SLUG))
    if holds.count <= 5_000:
        assert (holds.total, holds.wrong) == (now.held, 0)
    assert sum(change.spendable for change in changes) == now.bal - MONEY


def test_the_sequences_are_all_there() -> None:
    events = [pattern.count("event") for pattern in PATTERNS]
    assert sum(len(EVENTS) ** count for count in events) == (len(EVENTS) + len(TIMES)) ** LENGTH
