"""Turns a `register` frame into a registered peer."""

from dataclasses import dataclass
from typing import Any

from poolsite import hotpath
from queueing.dispatch import dispatcher as commands
from queueing.dispatch import frames
from queueing.dispatch.links.directory import GroupRef


@dataclass(frozen=True, slots=True)
class Registration:
    """The `registered` frame of a peer, and where its delivery starts."""

    peer: str
    frame: dict[str, Any]
    sent: int
    held: bool


def hello(group: GroupRef, offer: str) -> dict[str, Any]:
    """Return the server's first frame. offer: the ID that an instance may take, or ""."""
    frame = {
        "op": "hello",
        "protocol": frames.PROTOCOL,
        "group": group.slug,
        "heartbeat_seconds": group.heartbeat_seconds,
        "missed_limit": group.missed_limit,
        "disconnect_seconds": group.disconnect_seconds,
    }
    return frame | ({"offer": offer} if offer else {})


async def register(
    slug: str, side: str, raw: dict[str, Any], offer: str, link: str, process: str
) -> Registration:
    """Register the peer of a link. Raise MalformedFrameError, DispatchRefusedError, HotPathError.

    Calling this twice is harmless: the second time, the link replaces itself.
    """
    if side == "back":
        back = frames.read_back(raw)
        received = back.received
        command = commands.register_back(
            *(slug, offer, back.id, back.incarnation, back.name, back.version),
            *(back.capacity, back.weight, link, process, received),
        )
    else:
        front = frames.read_front(raw)
        received = front.received
        command = commands.register_front(
            slug, front.id or "", front.profile, front.incarnation, link, process, received
        )
    return _told(await hotpath.arun(command), received)


def _told(registered: commands.Registered, received: int) -> Registration:
    had = registered.acked
    if registered.arrival in ("reconnect", "takeover") and received <= registered.sent:
        had = max(had, received)
    frame = {
        "op": "registered",
        "id": registered.id,
        "arrival": registered.arrival,
        "received": registered.received,
        "next": had + 1,
        "sent": registered.sent,
        "resync": registered.resync,
    }
    return Registration(registered.peer, frame, registered.sent, registered.held)
