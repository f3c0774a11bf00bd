"""Router: starts sessions, sends messages to the other end, ends sessions.

Each inbound command has the peer's own number `seq`. The next number is processed, an earlier one
is "repeat", a later one raises "gap". If the command is refused, the sender gets a `refused` frame
in its own outbox, in the same step, and the number is used.
"""

from dataclasses import dataclass
from typing import Final, Literal, cast

from poolsite.hotpath import Command
from queueing.dispatch.dispatcher.reasons import check
from queueing.dispatch.dispatcher.scripts import group_command

BODY_LIMIT: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Routed:
    """The result of a frame. `peer`: the key of the peer that received it, or "".

    `name`: the instance's. `released`: this was the first frame of a held peer, so its outbox can
    be read now.
    """

    outcome: Literal["routed", "refused", "repeat"]
    peer: str
    name: str
    reason: str
    released: bool


_OUTCOMES: Final = {"1": "routed", "0": "refused", "2": "repeat"}


def _routed(reply: list[str]) -> Routed:
    check(reply)
    outcome = cast(Literal["routed", "refused", "repeat"], _OUTCOMES[reply[0]])
    return Routed(outcome, reply[1], reply[2], reply[3], reply[4] == "1")


def start(
    slug: str,
    peer: str,
    link: str,
    seq: int,
    word: str,
    key: str = "",
    ttl_seconds: int | None = None,
    body: str = "null",
    confirm: bool = False,
) -> Command[Routed]:
    """Start session `<front-end's ID>/<word>`. The instance chosen for it does not change.

    `key`: for sharing by key; if "", the session's ID. `ttl_seconds`: makes the route a timed one.
    `confirm`: a `started` frame names the instance that accepted the session.

    Refused: session exists, no sessions in this profile, all full, none open, peer full,
    recovering. Raise DispatchRefusedError: replaced, gap, behind, malformed ….
    """
    ttl = "" if ttl_seconds is None else str(ttl_seconds)
    args: list[str | int] = [peer, link, seq, word, key, ttl, body, int(confirm)]
    return group_command("start", slug, args, _routed, f"{link}{seq}")


def message(
    slug: str, peer: str, link: str, seq: int, session: str, body: str = "null"
) -> Command[Routed]:
    """Send a message of a session to its other end.

    Refused: no such session, not yours, session ending, peer pending, peer full, recovering.
    """
    args: list[str | int] = [peer, link, seq, session, body]
    return group_command("message", slug, args, _routed, f"{link}{seq}")


def end(
    slug: str,
    peer: str,
    link: str,
    seq: int,
    session: str,
    reason: str = "",
    body: str = "null",
    failed: bool = False,
) -> Command[Routed]:
    """End a session, from either end. A pending other end is notified later, without the body.

    `failed`: the instance could not serve the session, which counts towards its ejection.

    Refused: no such session, not yours, session ending, peer full, recovering.
    """
    args: list[str | int] = [peer, link, seq, session, reason, body, int(failed)]
    return group_command("end", slug, args, _routed, f"{link}{seq}")


def deliver(
    slug: str, peer: str, link: str, seq: int, to: str = "", body: str = "null"
) -> Command[Routed]:
    """Send a message without a session: to an instance in turn, or to the front-end `to`.

    Refused: all full, none open, no such peer, peer pending, peer full.
    """
    args: list[str | int] = [peer, link, seq, to, body]
    return group_command("deliver", slug, args, _routed, f"{link}{seq}")


def clear(slug: str, peer: str, link: str, seq: int) -> Command[Routed]:
    """Report that a front-end restarted and has no sessions.

    Its routes are void, the instances are notified once, and held frames are dropped. If this is
    the first frame of a connection with `seq` 1, both numberings start again.
    """
    return group_command("clear", slug, [peer, link, seq], _routed, f"{link}{seq}")


def end_session(slug: str, session: str, reason: str) -> Command[bool]:
    """End a session for an operator. Both ends are notified. Return False if it doesn't exist."""

    def read(reply: list[str]) -> bool:
        return check(reply)[1] == "1"

    return group_command("end_session", slug, [session, reason], read, session)
