"""Runs the hot lane's wallet commands: batches in parts, single commands combined with others."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from billing import wallet as commands
from billing.services.senders import WalletRef
from billing.wallet import Charge
from poolsite.api.gather import Gatherer
from poolsite.hotpath import Command, HotPath, HotPathError
from poolsite.per_loop import PerLoop

# Each action's command, for up to BATCH_LIMIT messages of one wallet.
_COMMANDS: Final[dict[str, Callable[[str, Sequence[Any]], Command[list[Charge]]]]] = {
    "hold": commands.hold_many,
    "sent": commands.sent,
    "cancel": commands.cancel_many,
    "settle": commands.report_many,
}

Gathered = Gatherer[Any, Charge]


async def run(ref: WalletRef, what: str, items: Sequence[Any]) -> list[Charge | HotPathError]:
    """Run items of one request in order. A single item is combined with those of other requests."""
    if not items:
        return []
    if len(items) == 1:
        try:
            return [await _gatherer(ref.path).run(f"{what} {ref.slug}", items[0])]
        except HotPathError as error:
            return [error]
    size = commands.BATCH_LIMIT
    portions = [items[start : start + size] for start in range(0, len(items), size)]
    replies = await ref.path.arun_batch([_COMMANDS[what](ref.slug, each) for each in portions])
    outcomes: list[Charge | HotPathError] = []
    for portion, reply in zip(portions, replies, strict=True):
        outcomes += [reply] * len(portion) if isinstance(reply, HotPathError) else reply
    return outcomes


async def run_each(
    ref: WalletRef, to_run: Sequence[Command[Charge]]
) -> list[Charge | HotPathError]:
    """Run commands of one wallet in one pipeline."""
    return await ref.path.arun_batch(to_run) if to_run else []


def _combine(key: str, items: Sequence[Any]) -> Command[Sequence[Charge]]:
    what, _, slug = key.partition(" ")
    return _COMMANDS[what](slug, items)


_gatherers: PerLoop[dict[int, tuple[HotPath, Gathered]]] = PerLoop(dict)


def _gatherer(path: HotPath) -> Gathered:
    """Return the running loop's gatherer for a Redis."""
    mine = _gatherers()
    found = mine.get(id(path))
    if found is None or found[0] is not path:
        found = mine[id(path)] = (path, Gatherer(_combine, path))
    return found[1]
