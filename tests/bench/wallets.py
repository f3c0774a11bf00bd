"""Wallets in a private Redis, and traffic on them as plain EVALSHA arguments."""

from collections.abc import Iterable

import redis

from billing import wallet
from poolsite.hotpath import Command
from tests.bench.pools import words
from tests.bench.redis_cpu import send_pipelined

SLUG = "bench"
MONEY = 10**15
# Native card, or Yuexin resolved or not; the tariff also knows video and native text.
QUOTE = wallet.Quote(
    {"native_card": 800, "yuexin_card": 900, "yuexin_text": 600},
    42,
    {"video": 700, "native_text": 300},
)
DELIVERED = ("native_card", "yuexin_card", "yuexin_text")


def message_id(index: int) -> str:
    return f"c{index:x}-4f1d2c9a7b3e"


def open_wallet(client: redis.Redis, slug: str = SLUG, balance: int = MONEY) -> None:
    """Make a wallet with money for everything that a bench does."""
    command = wallet.create(slug, 1, wallet.WalletSettings(), balance=balance)
    assert send_pipelined(client, words(client, [command])) == [["1", "created"]]


def hold_request(index: int, *, sent: bool = True) -> wallet.HoldRequest:
    """Return a hold with everything that a campaign's message has."""
    body_hash = f"{index * 2654435761 % 2**128:032x}"
    return wallet.HoldRequest(message_id(index), body_hash, QUOTE, chatbot="shop-bot", sent=sent)


def holds(first: int, count: int, *, slug: str = SLUG, sent: bool = True) -> list[Command]:
    return [
        wallet.hold(slug, hold_request(index, sent=sent)) for index in range(first, first + count)
    ]


def settlements(first: int, count: int, *, slug: str = SLUG) -> list[Command]:
    """Return the final reports of messages: two of three delivered, by each mode in turn."""
    return [wallet.report(slug, final_report(index)) for index in range(first, first + count)]


def final_report(index: int) -> wallet.DeliveryReport:
    delivered = index % 3 != 0
    mode = DELIVERED[index % len(DELIVERED)] if delivered else ""
    return wallet.DeliveryReport(message_id(index), final=True, delivered=delivered, mode=mode)


def holds_and_settlements(first: int, count: int, *, open_at_once: int = 200) -> list[Command]:
    """Return `count` holds and, `open_at_once` holds later each, their final reports."""
    made, ended = holds(first, count), settlements(first, count)
    commands: list[Command] = []
    for place, command in enumerate(made):
        commands.append(command)
        if place >= open_at_once:
            commands.append(ended[place - open_at_once])
    return commands + ended[count - open_at_once :]


def persist(client: redis.Redis, slug: str = SLUG) -> int:
    """Take every entry as SQL would, and trim. Return the number of entries."""
    taken = 0
    while True:
        (closed,) = send_pipelined(client, words(client, [wallet.close_batch(slug, 5_000)]))
        batch = wallet.close_batch(slug).read(closed)
        if batch is None:
            return taken
        send_pipelined(client, words(client, [wallet.trim_batch(slug, 1, batch.number, keep=0)]))
        taken += len(batch.entries)


def figures(client: redis.Redis, slug: str = SLUG) -> dict[str, int]:
    """Return the wallet's figures as they are in its hash."""
    names = ("bal", "pend", "held", "seq", "drained")
    values = client.hmget("{acct." + slug + "}", names)
    return {name: int(value) for name, value in zip(names, values, strict=True)}


def charged(indexes: Iterable[int]) -> int:
    """Return what the customer pays for these messages by the quoted prices."""
    return sum(
        QUOTE.prices[DELIVERED[index % len(DELIVERED)]] for index in indexes if index % 3 != 0
    )


def bytes_per_open_hold(client: redis.Redis, count: int) -> tuple[float, float]:
    """Return bytes per open hold, sent and waiting: with its entry in the log, and without."""
    before = int(client.info("memory")["used_memory"])
    open_wallet(client)
    send_pipelined(client, words(client, holds(0, count)))
    assert client.zcard("{acct." + SLUG + "}:deadlines") == count
    with_log = int(client.info("memory")["used_memory"])
    assert persist(client) == count
    without = int(client.info("memory")["used_memory"])
    return (with_log - before) / count, (without - before) / count
