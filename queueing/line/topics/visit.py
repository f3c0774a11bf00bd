"""A visit, live: its current state; and its conversation, for the visitor and for agents."""

from dataclasses import replace
from functools import partial
from typing import Any

from django.db.models import QuerySet

from poolsite import access, hotpath, live
from poolsite.live import personal_channel
from queueing.line import desk as commands
from queueing.line.models import Message
from queueing.line.selectors import why
from queueing.line.selectors.attachments import attachment_out
from queueing.line.selectors.receipts import receipts_of
from queueing.line.services import keeping
from queueing.line.services.attachments import attachment_of
from queueing.line.services.beats import visit_beat_by_name
from queueing.line.topics.scope import (
    TopicScope,
    may_read,
    place_in,
    room_place,
    visit_id_of,
    visit_place,
)
from queueing.line.topics.standing import standing_shown

WORDS = 200
READ_UNIT = 1 << 16  # more than a transcript's messages


class VisitTopic(live.Topic):
    """`line.visit:<public id>`: a visit's current state. Watching it is the visitor's heartbeat.

    {"answer", "seq", "ahead", "priority", "ticket", "queue", "queue_name", "agent", "word",
    "estimate": [low, high] | null, "needs": [names of skills]}. A new state is sent if anything
    except the place has changed. `line.queue` (queue.py) moves the place; otherwise 10,000 pages
    would get a message for every step of the line.
    """

    name = "line.visit"
    beats = True
    safety_seconds = 20.0  # each heartbeat reads the visit's state, too

    def __init__(self, key: str) -> None:
        super().__init__(visit_id_of(key))
        self._known: TopicScope | None = None
        self._needs: list[str] = []
        self._seen: commands.Standing | None = None
        self._seq = 0  # of the last standing that was read
        self._life = 0  # how often the desk's numbers have started again

    async def allowed(self, principal: access.Principal) -> access.Decision:
        place = self._known = await live.in_thread(visit_place, self.key)
        self._needs = await live.in_thread(why.skills_of_visit, self.key)
        return await live.in_thread(may_read, principal, place)

    def asks_again(self, principal: access.Principal) -> bool:
        """Whether access must be checked again: an agent's access ends with the room."""
        return principal.kind == "user"

    def wake_channels(self) -> list[str]:
        """Return the channels.

        The scripts' messages to the visitor's sockets wake this topic, too.
        """
        return [personal_channel(f"visitor:{self.key}"), live.touch_channel(self.address)]

    async def beat(self, principal: access.Principal) -> bool:
        """Keep the place, if this is the visitor's own socket. If Redis has no visit, SQL is read.

        Return whether the state differs from the one sent last, as when a desk lost its data. The
        topic is then read again.
        """
        if principal.kind != "visitor" or principal.id != self.key:
            return False
        desk = place_in(self._known).desk
        standing = await hotpath.arun(commands.beat(desk, self.key))
        keeping.heard(desk)
        if not standing.is_there and standing.answer != "ended":
            await live.in_thread(visit_beat_by_name, self.key)
        return self._seen is not None and self._has_moved(standing)

    async def snapshot(self) -> live.Snapshot:
        return await self._look(await self._standing())

    async def changes(self, since: int) -> live.Changes | None:
        """Read names and estimate, which may come from SQL, only if other values have changed."""
        standing = await self._standing()
        if not self._has_moved(standing):
            self._seq = standing.seq
            return live.Changes(since, None)
        now = await self._look(standing)
        return live.Changes(now.version, None if now.version == since else now.data)

    async def _standing(self) -> commands.Standing:
        return await hotpath.arun(commands.place(place_in(self._known).desk, self.key))

    async def _look(self, standing: commands.Standing) -> live.Snapshot:
        data = await standing_shown(self.key, standing, self._known)
        data["needs"] = self._needs
        self._seen = _moving(standing)
        self._life += standing.seq < self._seq
        self._seq = standing.seq
        return live.Snapshot(self._version(data), data)

    def _has_moved(self, standing: commands.Standing) -> bool:
        """Whether a new state must be sent.

        A rebuilt desk's numbers start again. A page that kept an earlier number would ignore all
        later moves, because its number is higher.
        """
        return _moving(standing) != self._seen or standing.seq < self._seq

    def _version(self, data: dict[str, Any]) -> int:
        moving = ("seq", "ahead", "estimate")
        still = {name: data[name] for name in data if name not in moving}
        return live.version_of({**still, "life": self._life})


def _moving(standing: commands.Standing) -> commands.Standing:
    """Return the part of the state whose changes this topic sends: all except the place."""
    return replace(standing, seq=0, ahead=0)


class TalkTopic(live.Topic):
    """`line.talk:<public id>`: a room's conversation as the visitor sees it, without notes.

    State: {"messages": [message], "reads": {side: {"number", "at"}}}. A change has the new
    messages, and `reads` if a side has read more. Messages have numbers, so a page can drop one
    that it receives twice. The version is the number of messages plus READ_UNIT for each step of
    reading.
    """

    name = "line.talk"
    notes = False

    def __init__(self, key: str) -> None:
        super().__init__(visit_id_of(key))
        self._known: TopicScope | None = None

    async def allowed(self, principal: access.Principal) -> access.Decision:
        place = self._known = await live.in_thread(room_place, principal, self.key)
        return await live.in_thread(partial(may_read, principal, place, notes=self.notes))

    def asks_again(self, principal: access.Principal) -> bool:
        """Whether access must be checked again: an agent's access ends with the room."""
        return principal.kind == "user"

    def wake_channels(self) -> list[str]:
        """Return the one channel that wakes both sides."""
        return [live.touch_channel(f"line.room:{self.key}")]

    async def snapshot(self) -> live.Snapshot:
        """Read the version first: a message between the two reads is then shown and sent again."""
        version, reads = await live.in_thread(talk_version, self.key)
        rows = await live.in_thread(messages_after, self.key, 0, self.notes)
        return live.Snapshot(version, {"messages": rows, "reads": reads})

    async def changes(self, since: int) -> live.Changes | None:
        version, reads = await live.in_thread(talk_version, self.key)
        rows = await live.in_thread(messages_after, self.key, since % READ_UNIT, self.notes)
        data: dict[str, Any] = {"messages": rows}
        if version // READ_UNIT != since // READ_UNIT:
            data["reads"] = reads
        return live.Changes(version, data if rows or "reads" in data else None)

    @staticmethod
    def apply(data: Any, change: Any) -> Any:
        """Append new messages. A long transcript drops its oldest ones."""
        known = {message["number"] for message in data["messages"]}
        new = [each for each in change["messages"] if each["number"] not in known]
        reads = change.get("reads", data["reads"])
        return {"messages": [*data["messages"], *new][-WORDS:], "reads": reads}


class RoomTopic(TalkTopic):
    """`line.room:<public id>`: `line.talk` for the agent and supervisors, with internal notes."""

    name = "line.room"
    notes = True


def last_number(visit: str) -> int:
    """Return the number of the newest message, or 0."""
    rows = Message.objects.filter(visit__public_id=visit).order_by("-number")
    return rows.values_list("number", flat=True).first() or 0


def talk_version(visit: str) -> tuple[int, dict[str, Any]]:
    """Return the version of a transcript, and how far each side has read it."""
    last = last_number(visit)
    reads = receipts_of(visit)
    return last + READ_UNIT * sum(each["number"] for each in reads.values()), reads


def messages_after(visit: str, number: int, notes: bool) -> list[dict[str, Any]]:
    """Return the messages after a number, oldest first: the newest 200 of them."""
    found = _after(visit, number, notes).order_by("-number")[:WORDS]
    return [message_as_data(row) for row in reversed(found)]


def messages_page(visit: str, number: int) -> list[dict[str, Any]]:
    """Return the next 200 messages after a number, oldest first, without internal notes."""
    found = _after(visit, number, notes=False).order_by("number")[:WORDS]
    return [message_as_data(row) for row in found]


def _after(visit: str, number: int, notes: bool) -> "QuerySet[Message]":
    rows = Message.objects.filter(visit__public_id=visit, number__gt=number)
    if not notes:
        rows = rows.heard_by_visitors()
    return rows.select_related("agent", "attachment")


def message_as_data(row: Message) -> dict[str, Any]:
    """Return a message as pages and the API show it. The text is unescaped: the page escapes it."""
    return {
        "number": row.number,
        "author": row.author,
        "name": row.speaker,
        "id": row.client_id,
        "text": row.text,
        "at": row.at.isoformat(),
        "attachment": None if (file := attachment_of(row)) is None else attachment_out(file),
    }
