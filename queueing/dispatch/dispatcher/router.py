"""Router: sessions begin, messages go to the other end, sessions end.

Each inbound command carries the peer's own number `seq`: the next one is done, one that was done
is "repeat", a later one raises "gap". What cannot be done for a reason of business is told to the
sender by a `refused` frame in its own outbox, in the same step, and takes its number.
"""

from dataclasses import dataclass
from typing import Final, Literal, cast

from poolsite.hotpath import Command
from queueing.dispatch.dispatcher.reasons import check
from queueing.dispatch.dispatcher.scripts import group_command

BODY_LIMIT: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Routed:
    """`peer`: the key of the peer that the frame went to, "" = none; `name`: the instance's.

    `released`: this was the first frame of a held peer: its outbox may be read now.
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
    """A front-end begins session `<its id>/<word>`: an instance is chosen, and stays.

    `key`: for sharing by key, "" = the session's id. `ttl_seconds`: makes the route a timed one.
    `confirm`: a `started` frame names the instance that accepted it.
    Refused: session exists, no sessions in this profile, all full, none open, peer full,
    recovering. Raises DispatchRefusedError: replaced, gap, behind, malformed ….
    """
    ttl = "" if ttl_seconds is None else str(ttl_seconds)
    args: list[str | int] = [peer, link, seq, word, key, ttl, body, int(confirm)]
    return group_command("start", slug, args, _routed, f"{link}{seq}")


def message(
    slug: str, peer: str, link: str, seq: int, session: str, body: str = "null"
) -> Command[Routed]:
    """A message of a session to its other end.

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
    """Either end ends a session. A pending other end is told when it is back: without the body.

    `failed`: the instance could not serve it; counts towards its ejection.

    Refused: no such session, not yours, session ending, peer full, recovering.
    """
    args: list[str | int] = [peer, link, seq, session, reason, body, int(failed)]
    return group_command("end", slug, args, _routed, f"{link}{seq}")


def deliver(
    slug: str, peer: str, link: str, seq: int, to: str = "", body: str = "null"
) -> Command[Routed]:
    """A message without a session: to an instance in turn, or from an instance to front-end `to`.

    Refused: all full, none open, no such peer, peer pending, peer full.
    """
    args: list[str | int] = [peer, link, seq, to, body]
    return group_command("deliver", slug, args, _routed, f"{link}{seq}")


def clear(slug: str, peer: str, link: str, seq: int) -> Command[Routed]:
    """A front-end says that it has no sessions: it restarted. Its routes are void, the instances
    are told once, held frames are dropped.

    `seq` 1 as the first frame of a connection: both numberings begin anew.
    """
    return group_command("clear", slug, [peer, link, seq], _routed, f"{link}{seq}")


def end_session(slug: str, session: str, reason: str) -> Command[bool]:
    """An operator ends a session: both ends are told; False = there is no such session."""

    def read(reply: list[str]) -> bool:
        return check(reply)[1] == "1"

    return group_command("end_session", slug, [session, reason], read, session)
