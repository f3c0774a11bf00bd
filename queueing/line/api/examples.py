"""Example values of the OpenAPI document: a visit to one desk, and its agent."""

from collections.abc import Mapping
from typing import Any, Final

from poolsite.api.examples import AT, AT_MS, AT_US
from queueing.line.api.examples_desk import AGENT, CALL, DESK, PROMISES
from queueing.line.api.examples_setup import PATHS, RECORDS, SETUP

VISIT: Final = "Qm9v4kZr2xWc"
TOPIC: Final = "Order 20418"
STANDING: Final = {
    "answer": "waiting",
    "seq": 40_217,
    "ahead": 2,
    "priority": 5,
    "ticket": AT_US,
    "queue_name": "Sales",
    "agent": None,
    "word": "",
    "estimate": [60, 240],
}
JOINED: Final = {
    **STANDING,
    "token": "psv_eyJkZXNrIjoic3VwcG9ydCJ9:1vwXyZ:m9v4kZr2xWc7LpTQ",
    "place": "eyJxdWV1ZSI6Mn0:1vwXyZ:Zr2xWc7LpTQm9v4k",
}
TRANSCRIPT: Final = (
    "2026-03-01 10:32:07 CST  Mei joined Sales\n"
    "2026-03-01 10:34:27 CST  * Room with Zhou Ting started.\n"
    "2026-03-01 10:34:41 CST  Zhou Ting: Hello, how can I help?\n"
)
MESSAGE: Final = {"id": "c-1042", "text": "Hello, how can I help?"}
PHOTO: Final = {
    "id": "7LpTQm9v4kZr2xWcQm9v4k",
    "name": "receipt.jpg",
    "kind": "image/jpeg",
    "size": 184_320,
    "width": 1280,
    "height": 960,
}
ROOM: Final = {
    "kind": "room",
    "visit": VISIT,
    "until_ms": 0,
    "name": "Mei",
    "topic": TOPIC,
    "contact": "mei@example.com",
    "place": 3,
    "language": "en",
    "queue": "Sales",
    "queue_slug": "sales",
    "joined": AT,
    "skills": {"english": 2},
    "verified": False,
    "since_ms": AT_MS + 140_000,
    "away_ms": 0,
    "why": "fewest rooms longest idle",
    "call": None,
}
STATE: Final = {
    "agent": AGENT,
    "name": "Zhou Ting",
    "capacity": 3,
    "state": "online",
    "pending": "",
    "word": "",
    "offer_token": "",
}
EXAMPLES: Final[Mapping[str, Mapping[str, Any]]] = {
    **DESK,
    **SETUP,
    **RECORDS,
    "queues": {"slug": "sales"},
    "visits": {"visit": VISIT, "zone": "Asia/Shanghai"},
    "agent": {"visit": VISIT, "agent": AGENT},
    "desks": {
        "slug": "support",
        "queue": "sales",
        "visit": VISIT,
        "agent": AGENT,
        "message": 77,
        "from": "2026-03-01",
        "until": "2026-03-01",
        **PATHS,
    },
    # what visitors and machines send
    "JoinIn": {"name": "Mei", "topic": TOPIC, "contact": "mei@example.com", "language": "en"},
    "BeatIn": {"place": JOINED["place"]},
    "MessageIn": MESSAGE,
    "AgentMessageIn": {**MESSAGE, "visit": VISIT},
    "MultiPartBodyParams": {"id": "c-1043", "text": "My receipt", "file": "receipt.jpg"},
    "ReadIn": {"number": 4},
    "AgentReadIn": {"number": 4, "visit": VISIT},
    "RatingIn": {"stars": 5, "comment": "Quick and friendly"},
    "LeftIn": {
        "name": "Mei",
        "contact": "+8613900000001",
        "text": "Please call me about order 20418.",
        "wants_call": True,
    },
    "TellIn": {"when": "next", "email": "mei@example.com", "zone": "Asia/Shanghai"},
    "TranscriptMailIn": {"zone": "Asia/Shanghai"},
    "CodeIn": {"code": "K7PM-Q2XA"},
    "EraseIn": {"contact": "mei@example.com", "reason": "Request of 1 March"},
    "PauseIn": {"reason": "Lunch"},
    "SupervisorReasonIn": {"reason": "End of shift"},
    "TakeOverIn": {"reason": "Complaint", "agent": AGENT},
    "LogoutIn": {"reason": "End of shift"},
    "TakeIn": {"visit": VISIT},
    "OfferIn": {"token": "o-318-2"},
    "MoreTimeIn": {"until_ms": AT_MS + 30_000},
    "OutcomeIn": {"outcome": 3, "note": "Wants an invoice by mail.", "id": "n-1042"},
    "CallBackIn": {"number": "+8613900000001"},
    "TransferIn": {"queue": "returns"},
    # a queue and a visit
    "Promises": PROMISES,
    "TopicOut": {"id": 4, "text": "Orders", "label": "Orders"},
    "QueueOut": {
        "name": "Sales",
        "open": True,
        "opens_at": None,
        "closed_text": "We are back at 9:00.",
        "welcome": "Hello, how can we help?",
        "topics": ["Orders"],
        "grace_seconds": 60,
        "room_grace_seconds": 120,
    },
    "VisitOut": STANDING,
    "JoinOut": JOINED,
    "ResumedOut": {**JOINED, "joined_ms": AT_MS},
    "DoneOut": {"answer": "ok"},
    "AttachmentOut": PHOTO,
    "AttachmentAtOut": {
        **PHOTO,
        "url": "/line/files/WyI3THBUUW05diIsInZpc2l0b3IiXQ:k3JqZr2xWc7LpTQ/",
        "until": AT_MS // 1_000 + 900,
    },
    "RoomMessageOut": {
        **MESSAGE,
        "number": 4,
        "author": "agent",
        "name": "Zhou Ting",
        "attachment": None,
    },
    "ReadOut": {"number": 4},
    "ReadsOut": {"visitor": {"number": 4, "at": AT}, "agent": {"number": 3, "at": AT}},
    "RatingOut": {"stars": 5},
    "RatingKnownOut": {"stars": 5},
    "TellOut": {"when": "next", "state": "waiting"},
    "CodeOut": {"code": "K7PMQ2XA", "seconds": 600},
    "WhyVisitorOut": {
        "agents": 6,
        "free": 0,
        "talking": 5,
        "wrap_up": 1,
        "paused": 0,
        "needs": ["English"],
    },
    # an agent
    "CallOut": CALL,
    "SlotOut": ROOM,
    "TodayOut": {
        "served": 23,
        "mean_seconds": 412,
        "stars": 4.7,
        "since": "2026-03-01T01:00:02.184410+00:00",
    },
    "AgentOut": STATE,
    "RoomsOut": STATE,
    "TransferQueue": {
        "slug": "returns",
        "name": "Returns",
        "waiting": 2,
        "oldest_ms": AT_MS - 45_000,
        "online": 4,
    },
    "SkillLevel": {"slug": "english", "name": "English", "level": 2},
    "Colleague": {
        "agent": 1043,
        "name": "Liu Yang",
        "free": 2,
        "rooms": 1,
        "capacity": 3,
        "reason": "free",
    },
    "EarlierVisitOut": {
        "at": "2026-02-12T06:10:44.730051+00:00",
        "name": "Mei",
        "topic": "Delivery",
        "queue": "Sales",
        "agent": "Liu Yang",
        "mine": False,
        "seconds": 388,
        "ended": "served",
        "outcome": "Solved",
        "tone": "good",
        "stars": 5,
        "by": "contact",
    },
    "VisitorNoteOut": {"text": "Wants an invoice by mail.", "agent": "Liu Yang"},
    "VisitorOut": {"total": 1, "stars": 5.0, "before": None},
    "OutcomeOut": {"outcome": 3},
}
