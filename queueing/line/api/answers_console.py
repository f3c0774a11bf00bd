"""Responses about read receipts and transfer targets."""

from ninja import Schema


class ReadOut(Schema):
    """The last message that a side has read, and when it reported this."""

    number: int
    at: str


class ReadsOut(Schema):
    """Read receipts. Null if that side has not read anything yet."""

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
    """An agent who is online. `free`: rooms that a transfer can use now, 0 if it would be refused;
    `reason`: why, as a reason code of `why` (free, at_capacity, wrap_up, offered, leaving, away).
    `rooms`: rooms in use, including offers and wrap-ups.
    """

    agent: int
    name: str
    free: int
    rooms: int
    capacity: int
    reason: str
    skills: list[SkillLevel]


class ColleaguesOut(Schema):
    """Transfer targets. Free agents come first, the least busy of them at the top."""

    queues: list[TransferQueue]
    agents: list[Colleague]
