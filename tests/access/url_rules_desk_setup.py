"""Who may set up a desk over the API: rows of url_rules_line_api."""

from collections.abc import Callable, Mapping
from typing import Any

from tests.access.world import World

_NOT_ALLOWED = {"nobody": "login", "foreign": "hidden", "roleless": "hidden", "*": "no"}
_VIEWERS = ("owner", "admin", "supervisor", "operators")
_OWNERS = ("owner", "admin", "operate")
_SUPERVISORS = ("admin", "supervisor", "operate", "supervise")
SEEN = {**_NOT_ALLOWED, **dict.fromkeys(_VIEWERS, "ok")}
CONFIGURED = {**_NOT_ALLOWED, **dict.fromkeys(_OWNERS, "ok")}
CONFIGURED_NOTHING_THERE = {**_NOT_ALLOWED, **dict.fromkeys(_OWNERS, "hidden")}
SUPERVISED = {**_NOT_ALLOWED, **dict.fromkeys(_SUPERVISORS, "ok")}
SUPERVISED_NOTHING_THERE = {**_NOT_ALLOWED, **dict.fromkeys(_SUPERVISORS, "hidden")}
# Agents may serve, so they get an answer about themselves: this desk's agent was never online.
LISTED = {
    "nobody": "login",
    **dict.fromkeys((*_VIEWERS, "foreign"), "ok"),
    "*": "no",
}


def rows(
    rule: Callable[..., Any], of_queue: Callable[[str], Callable[[World], str]], visit: str
) -> Mapping[str, Any]:
    """Return the rows, created with url_rules.Rule.

    of_queue: a URL of the desk with its queue.
    """
    desk, own = "api/v1/desks/<slug>", "/api/v1/desks/own-desk"
    seen = {
        "": "",
        "/queues": "/queues",
        "/queues/<queue>": "/queues/own-help",
        "/agents": "/agents",
        "/visits": "/visits",
        "/visits/<visit>": f"/visits/{visit}",
        "/outcomes": "/outcomes",
    }
    lists = (
        *("widget", "closures", "candidates", "skills", "replies", "languages"),
        *("signing-secrets", "blocked"),
    )
    configured = {f"/{each}": f"/{each}" for each in lists}
    configured["/queues/<queue>/topics"] = "/queues/own-help/topics"
    # the table's body is no JSON: a reader with the right gets that error
    posted = {
        "/outcomes/usual": "/outcomes/usual",
        "/outcomes/<outcome>/up": "/outcomes/1/up",
        "/agents/<agent>/restore": "/agents/1/restore",
        "/agents/<agent>/archive": "/agents/1/archive",
    }
    nothing_there = {
        "/skills/<skill>": ("/skills/none", "delete"),
        "/outcomes/<outcome>": ("/outcomes/1", "delete"),
        "/signing-secrets/<secret>": ("/signing-secrets/1", "delete"),
        "/replies/<shortcut>": ("/replies/none", "delete"),
        "/queues/<queue>/closures/<day>": ("/queues/own-help/closures/2026-12-24", "delete"),
    }
    supervised = {
        "/visits/<visit>/move": f"/visits/{visit}/move",
        "/visits/<visit>/outcome": f"/visits/{visit}/outcome",
    }
    return {
        "api/v1/desks": rule(LISTED, url="/api/v1/desks"),
        **{f"{desk}{part}": rule(SEEN, url=of_queue(own + url)) for part, url in seen.items()},
        f"{desk}/agents/<agent>": rule(
            {**SEEN, **dict.fromkeys(_VIEWERS, "hidden")}, url=of_queue(f"{own}/agents/1")
        ),
        **{
            f"{desk}{part}": rule(CONFIGURED, url=of_queue(own + url))
            for part, url in configured.items()
        },
        **{
            f"{desk}{part}": rule(CONFIGURED, url=of_queue(own + url), method="post")
            for part, url in posted.items()
        },
        **{
            f"{desk}{part}": rule(CONFIGURED_NOTHING_THERE, url=of_queue(own + url), method=method)
            for part, (url, method) in nothing_there.items()
        },
        **{
            f"{desk}{part}": rule(SUPERVISED, url=of_queue(own + url), method="post")
            for part, url in supervised.items()
        },
        f"{desk}/blocked/<blocked>": rule(
            SUPERVISED_NOTHING_THERE, url=of_queue(f"{own}/blocked/1"), method="delete"
        ),
    }
