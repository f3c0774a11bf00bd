"""Register: who a peer is, and whether it is new, a reconnect or a restart."""

from dataclasses import dataclass
from typing import Literal, cast

from poolsite.hotpath import Command
from queueing.dispatch.dispatcher.keys import id_of
from queueing.dispatch.dispatcher.reasons import check
from queueing.dispatch.dispatcher.scripts import group_command

Arrival = Literal["new", "reconnect", "restart", "takeover"]


@dataclass(frozen=True, slots=True)
class Registered:
    """A registration that was accepted.

    `arrival`: new and restart = sessions of a life before are void, both numberings begin at 1;
    reconnect and takeover = sessions and numberings go on. `received`: the last number of the
    peer's own sequence that the dispatcher has; 0 for a peer that it does not know (any more).
    `acked`: frames with numbers after it are sent (again); `sent`: the last frame that there is.
    `replaced`: process and link of the socket that this one took over from, which has been told.
    `held`: the outbox waits for the peer's first frame. `resync`: the peer must tell its sessions.
    """

    peer: str
    id: str
    arrival: Arrival
    received: int
    sent: int
    acked: int
    replaced: tuple[str, str] | None
    held: bool
    resync: bool


def _registered(reply: list[str]) -> Registered:
    check(reply)
    _, peer, arrival, received, sent, acked, process, link, held, resync = reply
    return Registered(
        peer=peer,
        id=id_of(peer),
        arrival=cast(Arrival, arrival),
        received=int(received),
        sent=int(sent),
        acked=int(acked),
        replaced=(process, link) if link else None,
        held=held == "1",
        resync=resync == "1",
    )


def offer(slug: str) -> Command[str]:
    """An id that no peer of the group has had: what a back-end is offered when it connects."""

    def read(reply: list[str]) -> str:
        return check(reply)[1]

    return group_command("offer", slug, [], read, "offer")


def register_front(
    slug: str,
    front_id: str,
    profile: str,
    incarnation: str,
    link: str,
    process: str,
    received: int = 0,
) -> Command[Registered]:
    """A front-end registers with its own id, or "" where its profile has none: it is given one.

    `received`: the last number that it has had from the dispatcher in this incarnation; frames
    up to it are not sent again. Raises DispatchRefusedError: taken, too many peers, malformed ….
    """
    args: list[str | int] = [front_id, profile, incarnation, link, process, received]
    return group_command("register_front", slug, args, _registered)


def register_back(
    slug: str,
    offered: str,
    back_id: str,
    incarnation: str,
    name: str,
    version: str,
    capacity: int,
    weight: int,
    link: str,
    process: str,
    received: int = 0,
) -> Command[Registered]:
    """An instance answers with the id that it has, or takes the offered one.

    Equal = newly started: what was pending under its name is stopped. Raises
    DispatchRefusedError: taken (the id or the name, by one that beats), too many peers, too many
    names, malformed ….
    """
    args: list[str | int] = [
        offered,
        back_id,
        incarnation,
        name,
        version,
        capacity,
        weight,
        link,
        process,
        received,
    ]
    return group_command("register_back", slug, args, _registered)
