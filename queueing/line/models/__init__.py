"""What SQL remembers of desks: settings, agents, visits with their rooms and words, reports."""

from queueing.line.models.desks import (
    Agent,
    BlockedVisitor,
    CannedReply,
    Closure,
    Desk,
    Queue,
    Skill,
)
from queueing.line.models.outcomes import OutcomeCode
from queueing.line.models.records import (
    AgentShift,
    DeskSample,
    LeftMessage,
    LineEvent,
    MessageCall,
)
from queueing.line.models.visits import Message, Rating, Room, RoomEvent, Visit

__all__ = [
    "Agent",
    "AgentShift",
    "BlockedVisitor",
    "CannedReply",
    "Closure",
    "Desk",
    "DeskSample",
    "LeftMessage",
    "LineEvent",
    "Message",
    "MessageCall",
    "OutcomeCode",
    "Queue",
    "Rating",
    "Room",
    "RoomEvent",
    "Skill",
    "Visit",
]
