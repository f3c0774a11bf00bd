"""An agent's own view, live: state, rooms, offers. Watching it is the agent's heartbeat."""

from typing import Any

from poolsite import access, hotpath, live
from poolsite.live import personal_channel
from poolsite.live.scopes import id_of
from queueing.line import desk as commands
from queueing.line.models import Agent, Visit
from queueing.line.selectors.consoles import call_out, place_told, since_and_why
from queueing.line.services import keeping


class AgentTopic(live.SnapshotTopic):
    """`line.agent:<user id>`: {"state", "pending", "word", "offer_token", "slots": [slot]}.

    slot: {"kind": room | offer | wrap_up, "visit", "name", "topic", "queue", "queue_slug",
    "joined", "notes", "contact", "language", "place", "until_ms", "since_ms", "away_ms", "why",
    "call"}; away_ms: since when the visitor is away, or 0 if present; call: see consoles.call_out.
    """

    name = "line.agent"
    beats = True

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self._id = id_of(key, "agent")
        self._desk = ""

    async def allowed(self, principal: access.Principal) -> access.Decision:
        found = await live.in_thread(_desk_of, self._id)
        if found is None:
            return access.Decision.HIDDEN
        self._desk, account_id = found
        thing = access.Thing("desk", self._desk, account_id)
        if principal.kind == "user" and principal.id == self.key:
            return access.decide(principal, "line.serve", thing)
        return access.decide(principal, "line.view", thing)

    def wake_channels(self) -> list[str]:
        """Return the channels.

        The scripts' messages to the agent's sockets wake this topic, too.
        """
        return [personal_channel(f"user:{self.key}"), live.touch_channel(self.address)]

    async def beat(self, principal: access.Principal) -> bool:
        """Keep the agent online, if this is the agent's own socket."""
        if principal.kind == "user" and principal.id == self.key:
            await hotpath.arun(commands.agent_beat(self._desk, self._id))
            keeping.heard(self._desk)
        return False

    async def read(self) -> dict[str, Any]:
        state = await hotpath.arun(commands.agent_state(self._desk, self._id))
        ids = [slot.visit for slot in state.slots if slot.visit]
        said = await live.in_thread(_said, ids)
        known = await hotpath.arun(commands.visits(self._desk, ids)) if ids else {}
        found = await hotpath.arun(commands.calls_of(self._desk, ids)) if ids else []
        calls = {call.visit: call_out(call) for call in found}
        return {
            "state": state.state,
            "pending": state.pending,
            "word": state.word,
            "offer_token": state.offer_token,
            "slots": [
                {
                    "kind": slot.kind,
                    "visit": slot.visit,
                    "until_ms": slot.until_ms,
                    **said.get(slot.visit, {}),
                    **since_and_why(known.get(slot.visit)),
                    "call": calls.get(slot.visit),
                }
                for slot in state.slots
            ],
        }


def _desk_of(user_id: int) -> tuple[str, int | None] | None:
    row = Agent.objects.select_related("desk").filter(user_id=user_id, archived_at=None).first()
    return (row.desk.slug, row.desk.account_id) if row is not None else None


def _said(visits: list[str]) -> dict[str, dict[str, Any]]:
    rows = Visit.objects.filter(public_id__in=visits).select_related("queue")
    return {
        row.public_id: {
            "name": row.name,
            "topic": row.topic,
            "queue": row.queue.name,
            "queue_slug": row.queue.slug,
            "joined": row.joined_at.isoformat(),
            "notes": row.notes,
            "contact": row.contact,
            "place": place_told(row),
            "language": row.language,
            "verified": bool(row.verified_subject),
        }
        for row in rows
    }
