"""Who may call the line's API: rows of url_rules, and the objects that they need."""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils import timezone

from queueing.line.models import Agent, Desk, Queue, Room, Visit
from tests.access import url_rules_desk_setup
from tests.access.world import World

ANYBODY = {"*": "ok"}
OF_THE_VISITOR = {"nobody": "login", "foreign": "hidden", "roleless": "hidden", "*": "no"}
LOOKED_AT = {
    **OF_THE_VISITOR,
    **dict.fromkeys(("owner", "admin", "supervisor", "operators"), "ok"),
}
# The world's agent serves at the account's desk. The others could, but are no agents there.
AGENTS = {
    "nobody": "login",
    "agent": "ok",
    **dict.fromkeys(("owner", "admin", "supervisor", "foreign"), "hidden"),
    "*": "no",
}
CONSOLE = {
    "nobody": "login",
    **dict.fromkeys(("owner", "admin", "supervisor", "agent", "foreign"), "ok"),
    "*": "no",
}
DESK_SEEN = {
    **OF_THE_VISITOR,
    **dict.fromkeys(("owner", "admin", "supervisor", "operators"), "ok"),
}
# A reader who may answer gets as far as the body, which is empty in the table.
DESK_ANSWERED = {
    **OF_THE_VISITOR,
    **dict.fromkeys(("owner", "admin", "supervisor", "agent", "operate", "supervise"), "ok"),
}
DESK_CHANGED = {**OF_THE_VISITOR, **dict.fromkeys(("owner", "admin", "operate"), "ok")}
DESK_SUPERVISED = {
    **OF_THE_VISITOR,
    **dict.fromkeys(("admin", "supervisor", "operate", "supervise"), "ok"),
}
VISIT = "ownvisit1234"
CHOICES = ("language", "transcript-mail", "code")
ROOM_VERBS = ("whisper", "messages", "join", "leave", "take-over", "front", "end")
PAST = "ownpast12345"


def own_queue(world: World) -> Queue:
    """Return a queue of the account `own`.

    It is closed, so that walking the URLs joins no visitor.
    """
    desk, _ = Desk.objects.get_or_create(slug="own-desk", account=world.own, name="Own")
    queue, _ = Queue.objects.get_or_create(slug="own-help", desk=desk, name="Help", is_open=False)
    agent, made = Agent.objects.get_or_create(desk=desk, user=world.users["agent"], name="Li")
    if made:
        agent.queues.add(queue)
    Visit.objects.get_or_create(
        public_id=VISIT, desk=desk, queue=queue, defaults={"joined_at": timezone.now()}
    )
    return queue


def of_queue(url: str) -> Callable[[World], str]:
    """Return a function for a URL below the account's queue, its visit or its agent."""

    def make(world: World) -> str:
        own_queue(world)
        return url

    return make


def _supervised(rule: Callable[..., Any]) -> Mapping[str, Any]:
    """Return the rows of the floor and its verbs.

    A reader with the right gets as far as the body, which is empty.
    """
    desk, own = "api/v1/desks/<slug>", "/api/v1/desks/own-desk"
    verbs = {f"visits/<visit>/{verb}": f"visits/{VISIT}/{verb}" for verb in ROOM_VERBS}
    verbs |= {f"agents/<agent>/{verb}": f"agents/1/{verb}" for verb in ("pause", "logout")}
    return {
        f"{desk}/floor": rule(DESK_SEEN, url=of_queue(f"{own}/floor")),
        f"{desk}/queues/<queue>/why": rule(DESK_SEEN, url=of_queue(f"{own}/queues/own-help/why")),
        f"{desk}/visits/<visit>/why": rule(
            {**DESK_SEEN, **dict.fromkeys(("owner", "admin", "supervisor", "operators"), "hidden")},
            url=of_queue(f"{own}/visits/{VISIT}/why"),
        ),
        **{
            f"{desk}/{part}": rule(DESK_SUPERVISED, url=of_queue(f"{own}/{url}"), method="post")
            for part, url in verbs.items()
        },
    }


def of_past(part: str, *, below: str = "/agent/history") -> Callable[[World], str]:
    """Return a function for a URL below a visit that the account's agent has served."""

    def make(world: World) -> str:
        queue, agent = own_queue(world), Agent.objects.get(user=world.users["agent"])
        now = timezone.now()
        visit, _ = Visit.objects.get_or_create(
            public_id=PAST,
            desk=queue.desk,
            queue=queue,
            agent=agent,
            defaults={"joined_at": now, "matched_at": now, "ended_at": now},
        )
        Room.objects.get_or_create(
            visit=visit, queue=queue, agent=agent, defaults={"began_at": now, "ended_at": now}
        )
        return f"{below}/{PAST}/{part}" if part or below == "/agent/history" else f"{below}/{PAST}"

    return make


def rows(rule: Callable[..., Any]) -> Mapping[str, Any]:
    """Return the rows, created with url_rules.Rule."""
    desk = "api/v1/desks/<slug>"
    queue, visit, agent = "api/v1/queues/<slug>", "api/v1/visits/<visit>", "api/v1/agent"
    asked, told = "/api/v1/queues/own-help", f"/api/v1/visits/{VISIT}"
    posts = "login pause logout ready beat take accept decline finish transfer messages notes"
    posts += " call-back call-end read more-time outcome"
    return {
        "q/<slug:slug>/": rule(ANYBODY, url=of_queue("/q/own-help/")),
        "widget/<slug:slug>.js": rule(ANYBODY, url=of_queue("/widget/own-help.js")),
        "agent/": rule(CONSOLE, url=of_queue("/agent/")),
        "agent/history/": rule(CONSOLE, url=of_queue("/agent/history/")),
        "agent/history/<slug:visit>/": rule(AGENTS, url=of_past("")),
        "agent/history/<slug:visit>/act/": rule(AGENTS, url=of_past("act/"), method="post"),
        queue: rule(ANYBODY, url=of_queue(asked)),
        f"{queue}/join": rule(ANYBODY, url=of_queue(f"{asked}/join"), method="post"),
        f"{queue}/left-messages": rule(
            ANYBODY, url=of_queue(f"{asked}/left-messages"), method="post"
        ),
        f"{queue}/resume": rule(ANYBODY, url=of_queue(f"{asked}/resume"), method="post"),
        visit: rule(LOOKED_AT, url=of_queue(told)),
        f"{visit}/transcript": rule(LOOKED_AT, url=of_queue(f"{told}/transcript")),
        **{
            f"{visit}/{part}": rule(OF_THE_VISITOR, url=of_queue(f"{told}/{part}"), method="post")
            for part in ("beat", "leave", "typing", "read", *CHOICES)
        },
        f"{visit}/rating": rule(LOOKED_AT, url=of_queue(f"{told}/rating")),
        f"{visit}/tell": rule(LOOKED_AT, url=of_queue(f"{told}/tell")),
        f"{visit}/attachments": rule(LOOKED_AT, url=of_queue(f"{told}/attachments")),
        f"{agent}/attachments": rule(
            AGENTS, url=of_queue("/api/v1/agent/attachments"), method="post"
        ),
        "line/files/<str:signed>/": rule({"*": "hidden"}, url=of_queue("/line/files/x/")),
        **{
            f"{visit}/{part}": rule(LOOKED_AT, url=of_queue(f"{told}/{part}"))
            for part in ("messages", "why")
        },
        f"{agent}/rooms": rule(AGENTS, url=of_queue("/api/v1/agent/rooms")),
        f"{agent}/colleagues": rule(AGENTS, url=of_queue("/api/v1/agent/colleagues")),
        f"{agent}/why/<visit>": rule(
            {**AGENTS, "agent": "hidden"}, url=of_queue(f"/api/v1/agent/why/{VISIT}")
        ),
        f"{agent}/history": rule(AGENTS, url=of_queue("/api/v1/agent/history")),
        f"{agent}/history/<visit>": rule(AGENTS, url=of_past("", below="/api/v1/agent/history")),
        f"{agent}/visitor/<visit>": rule(AGENTS, url=of_queue(f"/api/v1/agent/visitor/{VISIT}")),
        **{
            f"{desk}/{part}": rule(DESK_SEEN, url=of_queue(f"/api/v1/desks/own-desk/{part}"))
            for part in ("report", "board")
        },
        f"{desk}/forecast": rule(DESK_SEEN, url=of_queue("/api/v1/desks/own-desk/forecast")),
        f"{desk}/left-messages": rule(
            {**DESK_SEEN, "agent": "ok"}, url=of_queue("/api/v1/desks/own-desk/left-messages")
        ),
        **{
            f"{desk}/left-messages/<message>/{part}": rule(
                DESK_ANSWERED,
                url=of_queue(f"/api/v1/desks/own-desk/left-messages/1/{part}"),
                method="post",
            )
            for part in ("handled", "reopened", "call", "call-end")
        },
        **_supervised(rule),
        **url_rules_desk_setup.rows(rule, of_queue, VISIT),
        f"{desk}/erasures": rule(
            DESK_CHANGED, url=of_queue("/api/v1/desks/own-desk/erasures"), method="post"
        ),
        **{
            f"{agent}/{part}": rule(AGENTS, url=of_queue(f"/api/v1/agent/{part}"), method="post")
            for part in (*posts.split(), "typing")
        },
    }
