"""The desks' data in SQL: settings, agents, visits with rooms and messages, reports."""

from queueing.line.models.attachments import Attachment
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
from queueing.line.models.receipts import ReadReceipt
from queueing.line.models.records import (
    AgentShift,
    DeskSample,
    LeftMessage,
    LineEvent,
    MessageCall,
)
from queueing.line.models.routing import IdentityKey, LanguageSkill, Topic, VerifiedVisitor
from queueing.line.models.visitor_options import VisitCode, VisitMail
from queueing.line.models.visits import Message, Rating, Room, RoomEvent, RoomGuest, Visit
from queueing.line.models.widgets import Widget

__all__ = [
    "Agent",
    "AgentShift",
    "Attachment",
    "BlockedVisitor",
    "CannedReply",
    "Closure",
    "Desk",
    "DeskSample",
    "IdentityKey",
    "LanguageSkill",
    "LeftMessage",
    "LineEvent",
    "Message",
    "MessageCall",
    "OutcomeCode",
    "Queue",
    "Rating",
    "ReadReceipt",
    "Room",
    "RoomEvent",
    "RoomGuest",
    "Skill",
    "Topic",
    "VerifiedVisitor",
    "Visit",
    "VisitCode",
    "VisitMail",
    "Widget",
]
