"""What the interface answers about read receipts, and where a visitor may be handed over to."""

from ninja import Schema


class ReadOut(Schema):
    """Up to which message a side has read, and when it said so."""

    number: int
    at: str


class ReadsOut(Schema):
    """Read receipts; null = that side has read nothing yet."""

    visitor: ReadOut | None = None
    agent: ReadOut | None = None


class TransferQueue(Schema):
    """A queue of the desk. `oldest_ms`: when the first in line joined (0 = no one is waiting)."""

    slug: str
    name: str
    waiting: int
    oldest_ms: int
    online: int


class SkillLevel(Schema):
    slug: str
    name: str
    level: int


class Colleague(Schema):
    """An agent who is online. `free`: rooms that a transfer may take now, 0 where it would be
    refused; `reason`: why, in the words of `why` (free, at_capacity, wrap_up, offered, leaving,
    away). `rooms`: rooms in use, with offers and wrap-ups.
    """

    agent: int
    name: str
    free: int
    rooms: int
    capacity: int
    reason: str
    skills: list[SkillLevel]


class ColleaguesOut(Schema):
    """Those who are free come first, the least busy before the others."""

    queues: list[TransferQueue]
    agents: list[Colleague]
