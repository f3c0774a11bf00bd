"""Register: identifies a peer, and decides whether it is new, a reconnect or a restart."""

from dataclasses import dataclass
from typing import Literal, cast

from poolsite.hotpath import Command
from queueing.dispatch.dispatcher.keys import id_of
from queueing.dispatch.dispatcher.reasons import check
from queueing.dispatch.dispatcher.scripts import group_command

Arrival = Literal["new", "reconnect", "restart", "takeover"]


@dataclass(frozen=True, slots=True)
class Registered:
    """An accepted registration.

    `arrival`: with new and restart, earlier sessions are void and both numberings start at 1; with
    reconnect and takeover, sessions and numberings continue. `received`: the last number of the
    peer's own sequence that the dispatcher has, or 0 for a peer that it doesn't know (any more).
    `acked`: frames after this number are sent (again); `sent`: the number of the last frame in the
    outbox. `replaced`: process and link of the socket that this one replaced, which has been
    notified. `held`: the outbox waits for the peer's first frame. `resync`: the peer must report
    its sessions.
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
    """Return an ID that no peer of the group has had, which is offered to a new back-end."""

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
    """Register a front-end with its own ID, or "" if its profile has none: then one is assigned.

    `received`: the last number that it received from the dispatcher in this incarnation. Frames up
    to it are not sent again. Raise DispatchRefusedError: taken, too many peers, malformed ….
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
    """Register an instance, which answers with its current ID or takes the offered one.

    If both IDs are equal, it has just started: pending instances under its name are stopped. Raise
    DispatchRefusedError: taken (the ID or the name, by an instance that sends heartbeats), too many
    peers, too many names, malformed ….
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
