"""Listener: heartbeats, lost links, acknowledgements, and everything that is due at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from poolsite.hotpath import Command
from queueing.dispatch.dispatcher.reasons import NO_SUCH_GROUP, check
from queueing.dispatch.dispatcher.scripts import group_command

HEARD_LIMIT: Final = 500
SWEEP_LIMIT: Final = 1_000
VISIT_SECONDS: Final = 2.0  # at most between two visits; modules/timers.lua has the same value


@dataclass(frozen=True, slots=True)
class Heard:
    """The result of a heartbeat for a link.

    `ok`: False if the peer now has another link, so this one must be closed. `sent`: the last
    number in the peer's outbox. If it is higher than what the socket was given, a wake was lost:
    read the outbox. `released`: this was the first frame of a held peer, so read the outbox.
    """

    peer: str
    sent: int
    ok: bool
    released: bool


def heard(slug: str, process: str, links: Sequence[tuple[str, str, int]]) -> Command[list[Heard]]:
    """Report frames on these links: (peer, link, how many µs ago), at most HEARD_LIMIT.

    Pending peers become active again. With no links, the process only reports that it listens: if
    no process did for 3 s, the processes were away, and the group's peers get one more limit of
    time.
    """
    peers = [peer for peer, _, _ in links]
    args: list[str | int] = [process, *(word for each in links for word in each)]

    def read(reply: list[str]) -> list[Heard]:
        check(reply)
        rows = zip(peers, reply[1::3], reply[2::3], reply[3::3], strict=True)
        return [Heard(peer, int(sent), ok == "1", go == "1") for peer, sent, ok, go in rows]

    return group_command("heard", slug, args, read, process)


def lost(slug: str, peer: str, link: str, reason: str) -> Command[bool]:
    """Report that a socket closed or sending failed. The peer is pending at once.

    Return False if the link was no longer the peer's. A peer whose ID was assigned by the
    dispatcher can't come back, so it is stopped at once.
    """

    def read(reply: list[str]) -> bool:
        return check(reply)[1] == "1"

    return group_command("lost", slug, [peer, link, reason], read, link)


def disconnect(slug: str, peer: str, reason: str) -> Command[bool]:
    """Close a peer's link for an operator. The peer is pending and may reconnect.

    Return False if it had no link.
    """

    def read(reply: list[str]) -> bool:
        return check(reply)[1] == "1"

    return group_command("disconnect", slug, [peer, reason], read, peer)


def ack(slug: str, peer: str, link: str, seq: int) -> Command[int]:
    """Acknowledge every frame up to `seq`. Return how many outbox entries were deleted.

    Raise DispatchRefusedError: replaced, or gap if `seq` was never sent.
    """

    def read(reply: list[str]) -> int:
        return int(check(reply)[1])

    return group_command("ack", slug, [peer, link, seq], read, link)


@dataclass(frozen=True, slots=True)
class GroupSwept:
    """The result of a sweep. `more`: call sweep again immediately.

    `cleared`: removed routes of lost, restarted or blocked peers; `expired`: routes that ran out of
    time; `freed`: provisional routes that the other end did not report; `opened`: the group has
    recovered. now_us, next_us: Redis' time, and the earliest time at which something may be due.
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
    """Do what is due, at most `batch` of each kind. Return None if the group is missing."""

    def read(reply: list[str]) -> GroupSwept | None:
        if reply[:2] == ["-1", NO_SUCH_GROUP]:
            return None
        _, more, opened, pending, stopped, cleared, expired, freed, now, its_next = check(reply)
        return GroupSwept(
            *(more == "1", opened == "1", tuple(pending.split()), tuple(stopped.split())),
            *(int(cleared), int(expired), int(freed), int(now), int(its_next)),
        )

    return group_command("sweep", slug, [batch], read, "sweep")
