"""Listener: heartbeats, lost links, acknowledgements, and what time brings."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from poolsite.hotpath import Command
from queueing.dispatch.dispatcher.reasons import NO_SUCH_GROUP, check
from queueing.dispatch.dispatcher.scripts import group_command

HEARD_LIMIT: Final = 500
SWEEP_LIMIT: Final = 1_000
VISIT_SECONDS: Final = 2.0  # at most between two visits: in modules/timers.lua too


@dataclass(frozen=True, slots=True)
class Heard:
    """What the group says of a link that was heard.

    `ok` False: it is no longer the peer's; close it. `sent`: the last number in the peer's
    outbox: higher than what its socket was given = a wake was lost, read the outbox.
    `released`: this was the first frame of a held peer: read the outbox.
    """

    peer: str
    sent: int
    ok: bool
    released: bool


def heard(slug: str, process: str, links: Sequence[tuple[str, str, int]]) -> Command[list[Heard]]:
    """Frames came over these (peer, link, how many µs ago), at most HEARD_LIMIT.

    Pending ones are active again. With no links the process only says that it listens: a group
    for which nobody asked for 3 s was away, and its peers have one limit to come.
    """
    peers = [peer for peer, _, _ in links]
    args: list[str | int] = [process, *(word for each in links for word in each)]

    def read(reply: list[str]) -> list[Heard]:
        check(reply)
        rows = zip(peers, reply[1::3], reply[2::3], reply[3::3], strict=True)
        return [Heard(peer, int(sent), ok == "1", go == "1") for peer, sent, ok, go in rows]

    return group_command("heard", slug, args, read, process)


def lost(slug: str, peer: str, link: str, reason: str) -> Command[bool]:
    """A socket closed, or sending failed: pending at once; False = the link was not the peer's.

    A peer whose id was given to it cannot come back: it is stopped at once.
    """

    def read(reply: list[str]) -> bool:
        return check(reply)[1] == "1"

    return group_command("lost", slug, [peer, link, reason], read, link)


def disconnect(slug: str, peer: str, reason: str) -> Command[bool]:
    """An operator closes a peer's link; it is pending and may come back. False = it had none."""

    def read(reply: list[str]) -> bool:
        return check(reply)[1] == "1"

    return group_command("disconnect", slug, [peer, reason], read, peer)


def ack(slug: str, peer: str, link: str, seq: int) -> Command[int]:
    """The peer has every frame up to `seq`: how many entries of its outbox were deleted.

    Raises DispatchRefusedError: replaced, or gap when `seq` was never sent.
    """

    def read(reply: list[str]) -> int:
        return int(check(reply)[1])

    return group_command("ack", slug, [peer, link, seq], read, link)


@dataclass(frozen=True, slots=True)
class GroupSwept:
    """What a sweep did. `more`: call again at once.

    `cleared`: routes of lost, restarted or blocked peers that were removed; `expired`: routes whose
    time had come; `freed`: provisional ones that no other end named; `opened`: it recovers no
    longer. now_us, next_us: Redis' time, and the earliest at which something may be due.
    """

    more: bool
    opened: bool
    pending: tuple[str, ...]
    stopped: tuple[str, ...]
    cleared: int
    expired: int
    freed: int
    now_us: int
    next_us: int


def sweep(slug: str, batch: int = 500) -> Command[GroupSwept | None]:
    """Do what time brings, at most `batch` of each kind; None = there is no such group."""

    def read(reply: list[str]) -> GroupSwept | None:
        if reply[:2] == ["-1", NO_SUCH_GROUP]:
            return None
        _, more, opened, pending, stopped, cleared, expired, freed, now, its_next = check(reply)
        return GroupSwept(
            *(more == "1", opened == "1", tuple(pending.split()), tuple(stopped.split())),
            *(int(cleared), int(expired), int(freed), int(now), int(its_next)),
        )

    return group_command("sweep", slug, [batch], read, "sweep")
