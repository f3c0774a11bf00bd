"""Reads a group: its figures, its peers, its names, a peer's outbox."""

from dataclasses import dataclass
from typing import Final

from poolsite.hotpath import Command
from queueing.dispatch.dispatcher.groups import MANUAL_WORD, NameState
from queueing.dispatch.dispatcher.keys import id_of, is_front
from queueing.dispatch.dispatcher.reasons import NO_SUCH_GROUP, check
from queueing.dispatch.dispatcher.route_map import STATES
from queueing.dispatch.dispatcher.scripts import group_command, number
from queueing.dispatch.dispatcher.settings import GroupSettings

OUTBOX_LIMIT: Final = 500
PEERS_LIMIT: Final = 2_000


@dataclass(frozen=True, slots=True)
class GroupFigures:
    """A group's figures at one moment. Counters start at 0 with each generation.

    `sessions`: all routes, including those that a sweep will remove; `clearing`: ended lifetimes of
    peers whose routes are being removed. `ready`: instances that can get sessions, or are full.
    `healing`: recovering after a promotion. The group does not open automatically then, and must be
    recovered with a new generation.
    """

    as_of_us: int
    generation: int
    status: str
    settings: GroupSettings
    seq: int
    drained: int
    dropped: int
    opens_at_us: int | None
    healing: bool
    active: int
    pending: int
    ready: int
    names: int
    sessions: int
    clearing: int
    started: int
    ended: int
    refused: int
    messages: int
    delivered: int
    cleared: int
    expired: int
    restored: int
    freed: int
    retried: int
    ejections: int
    ejected: int


_COUNTS: Final = (
    *("seq", "drained", "dropped", "active", "pending", "ready", "names", "sessions", "clearing"),
    *("started", "ended", "refused", "messages", "delivered", "cleared", "expired"),
    *("restored", "freed", "retried", "ejections", "ejected"),
)


def show(slug: str) -> Command[GroupFigures | None]:
    """Return the group's figures, or None if Redis has no such group."""
    return group_command("show", slug, [], _figures)


def _figures(reply: list[str]) -> GroupFigures | None:
    if reply[:2] == ["-1", NO_SUCH_GROUP]:
        return None
    check(reply)
    pairs = dict(zip(reply[1::2], reply[2::2], strict=True))
    conf, opens_at = pairs["conf"], number(pairs["opens_at"])
    recovering = conf[0] == "r"
    return GroupFigures(
        as_of_us=int(pairs["as_of"]),
        generation=int(pairs["generation"]),
        status="recovering" if recovering else "open",
        settings=GroupSettings.from_redis(conf),
        opens_at_us=opens_at,
        healing=recovering and opens_at is None,
        **{name: int(pairs[name] or 0) for name in _COUNTS},
    )


@dataclass(frozen=True, slots=True)
class PeerRow:
    """A peer. `key` is "f:<id>" or "b:<id>".

    Only front-ends have `profile`, and only instances have the fields from `name` on. `heard_us`:
    its last frame, or None if it is pending or stopped. `sessions`: live routes. `unacked`: frames
    in its outbox; `buffered_ends`: session ends among them that came while it was pending.
    `received`, `sent`: the numbers of the last frame from it and of the last frame in its outbox.
    `ejected_until_us`: None if it is not ejected; `ejections`: how many count for the length of the
    next ejection; `judged`, `failed`: sessions of the current window; `share_percent`: less than
    100 during a slow start.
    """

    key: str
    state: str
    incarnation: str
    link: str
    process: str
    since_us: int
    heard_us: int | None
    pending_until_us: int | None
    sessions: int
    unacked: int
    buffered_ends: int
    held: bool
    resyncing: bool
    profile: str
    name: str
    version: str
    capacity: int
    weight: int
    manual: str
    upgrading: bool
    received: int
    sent: int
    ejected_until_us: int | None = None
    ejections: int = 0
    judged: int = 0
    failed: int = 0
    backup: bool = False
    share_percent: int = 100

    @property
    def id(self) -> str:
        return id_of(self.key)

    @property
    def is_front(self) -> bool:
        return is_front(self.key)


_PEER_WORDS: Final = 28


def peers(slug: str) -> Command[list[PeerRow]]:
    """Return every peer of the group (at most PEERS_LIMIT), ordered by key."""

    def read(reply: list[str]) -> list[PeerRow]:
        check(reply)
        starts = range(1, len(reply), _PEER_WORDS)
        return sorted(
            (_peer(reply[start : start + _PEER_WORDS]) for start in starts),
            key=lambda row: row.key,
        )

    return group_command("peers", slug, [], read)


def _peer(fields: list[str]) -> PeerRow:
    key, state, incarnation, link, process, since, heard, until = fields[:8]
    count, unacked, ends, held, resyncing, profile, name, version, capacity = fields[8:17]
    weight, hand, flag, received, sent, ejected, times, judged, failed, backup, share = fields[17:]
    return PeerRow(
        *(key, STATES[state], incarnation, link, process, int(since), number(heard)),
        *(number(until), int(count), int(unacked), int(ends), held == "1", resyncing == "1"),
        *(profile, name, version, int(capacity or 0), int(weight or 0)),
        *(MANUAL_WORD.get(hand, ""), flag == "1", int(received), int(sent)),
        *(number(ejected), int(times), int(judged), int(failed)),
        *(backup == "1", int(share)),
    )


def names(slug: str) -> Command[dict[str, tuple[NameState, str]]]:
    """Return every name of the group: its state, and the ID of the instance under it, or ""."""

    def read(reply: list[str]) -> dict[str, tuple[NameState, str]]:
        check(reply)
        rows = (reply[start : start + 6] for start in range(1, len(reply), 6))
        return {
            name: (
                NameState(name, MANUAL_WORD[hand], flag == "1", number(until), backup == "1"),
                its_id,
            )
            for name, hand, flag, its_id, until, backup in rows
        }

    return group_command("names", slug, [], read)


@dataclass(frozen=True, slots=True)
class OutboxEntry:
    """A frame of an outbox. Kinds: start started message end deliver refused peer-lost free resync.

    `peer`: for start and deliver the sender's ID, for peer-lost the lost peer's ID, for started the
    instance's name, for refused the number of the refused frame. `body` is JSON text; for refused
    it is the refused frame's kind.
    """

    kind: str
    session: str
    peer: str
    reason: str
    body: str


def read_entry(text: str) -> OutboxEntry:
    """Parse an entry of an outbox. The wakes of sockets have the same format."""
    kind, session, peer, reason, body = text.split("\t", 4)
    return OutboxEntry(kind, session, peer, reason, body)


def outbox(
    slug: str, peer: str, link: str, from_seq: int, count: int = 100
) -> Command[list[tuple[int, str]]]:
    """Return the frames that the peer has not acknowledged, from a number on, in order, as text.

    Empty while the frames are held. Raise DispatchRefusedError: replaced.
    """

    def read(reply: list[str]) -> list[tuple[int, str]]:
        check(reply)
        return [(int(seq), text) for seq, text in zip(reply[1::2], reply[2::2], strict=True)]

    return group_command("outbox", slug, [peer, link, from_seq, count], read, link)
