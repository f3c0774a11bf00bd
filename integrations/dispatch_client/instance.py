"""An application-server instance. It serves the sessions that the dispatcher assigns to it."""

from .codec import Frame
from .handlers import InstanceHandler
from .incoming import Job
from .peer import Peer
from .settings import Settings


class Instance(Peer):
    """An instance of a group.

    `name` is stable and unique in the group. The ID is the one that the dispatcher offers on the
    first link, unless `peer_id` is given, and stays the same afterwards.
    """

    side = "back"

    def __init__(
        self,
        settings: Settings,
        handler: InstanceHandler,
        *,
        name: str,
        version: str,
        capacity: int,
        weight: int = 1,
        peer_id: str = "",
        incarnation: str = "",
    ) -> None:
        super().__init__(settings, handler, peer_id=peer_id, incarnation=incarnation)
        self.name = name
        self.version = version
        self.capacity = capacity
        self.weight = weight
        self._started = handler.started

    def on_registration(self, hello: Frame) -> Frame:
        return {
            "op": "register",
            "id": self.id or hello["offer"],
            "name": self.name,
            "version": self.version,
            "capacity": self.capacity,
            "weight": self.weight,
            "incarnation": self.incarnation,
            "received": self.received,
        }

    def _jobs(self, frame: Frame) -> list[tuple[str, Job]]:
        if frame["op"] != "start":
            return super()._jobs(frame)
        session, front = str(frame["session"]), str(frame["front"])
        self.sessions.add(session, front)
        return [(session, lambda: self._started(session, front, frame.get("body")))]
