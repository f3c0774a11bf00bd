"""The rows of tests/access/url_rules.py for the desks of the waiting line."""

from collections.abc import Callable, Mapping
from typing import Any

from poolsite import hotpath
from queueing.line import desk as commands
from queueing.line.models import Desk
from tests.access import url_rules_line_api as line_api_rules
from tests.access.world import World

_OWN = ("owner", "admin", "supervisor")
LISTED = {
    "nobody": "login",
    "operators": "ok",
    **dict.fromkeys((*_OWN, "foreign"), "ok"),
    "*": "no",
}
SEEN = {**LISTED, "foreign": "hidden", "roleless": "hidden"}
SUPERVISED = {
    **SEEN,
    "owner": "no",
    "operators": "no",
    **dict.fromkeys(("operate", "supervise"), "ok"),
}


def of_desk(part: str) -> Callable[[World], str]:
    """Return a function for a URL of a desk of the account `own`."""

    def make(world: World) -> str:
        desk, made = Desk.objects.get_or_create(slug="own-desk", account=world.own, name="Own")
        if made:
            hotpath.run(commands.create("own-desk", desk.generation))
        return f"/desks/own-desk/{part}"

    return make


CONFIGURED = {
    **SEEN,
    "supervisor": "no",
    "operators": "no",
    "operate": "ok",
}
# Messages that visitors left are for agents, too.
ANSWERED = {
    **SEEN,
    "agent": "ok",
    "operators": "no",
    **dict.fromkeys(("operate", "supervise"), "ok"),
}
READ = {**SEEN, "agent": "ok"}
MADE = {"nobody": "login", "operate": "ok", "*": "no"}


def with_queue(part: str) -> Callable[[World], str]:
    """Return a function for a URL of url_rules_line_api's desk, with its queue, agent and visit."""

    def make(world: World) -> str:
        line_api_rules.own_queue(world)
        desk = Desk.objects.get(slug="own-desk")
        hotpath.run(commands.create("own-desk", desk.generation))
        agent = world.users["agent"].pk
        return f"/desks/own-desk/{part}".replace("AGENT", str(agent))

    return make


def rows(rule: Callable[..., Any]) -> Mapping[str, Any]:
    """Return the rows, created with url_rules.Rule."""
    desk = "desks/<slug:slug>/"
    return {
        "desks/": rule(LISTED),
        "desks/new/": rule(MADE),
        desk: rule(SEEN, url=of_desk("")),
        **{
            f"{desk}{part}": rule(SEEN, url=of_desk(part))
            for part in ("floor/", "reports/", "reports/csv/", "replay/", "replay/board/")
        },
        **{
            f"{desk}{part}": rule(SEEN, url=with_queue(part))
            for part in ("forecast/", "forecast/csv/")
        },
        **{
            f"{desk}{part}": rule(READ, url=of_desk(part))
            for part in ("messages/", "messages/csv/")
        },
        f"{desk}messages/<int:message_id>/": rule(
            ANSWERED, url=of_desk("messages/1/"), method="post"
        ),
        f"{desk}visits/<slug:visit>/": rule(
            SEEN, url=with_queue(f"visits/{line_api_rules.VISIT}/")
        ),
        f"{desk}act/": rule(SUPERVISED, url=of_desk("act/"), method="post"),
        f"{desk}visitors/": rule(CONFIGURED, url=of_desk("visitors/")),
        f"{desk}visitors/act/": rule(SUPERVISED, url=of_desk("visitors/act/"), method="post"),
        f"{desk}settings/": rule(CONFIGURED, url=of_desk("settings/")),
        f"{desk}widget/": rule(CONFIGURED, url=of_desk("widget/")),
        f"{desk}settings/act/": rule(CONFIGURED, url=of_desk("settings/act/"), method="post"),
        f"{desk}routing/": rule(CONFIGURED, url=of_desk("routing/")),
        f"{desk}routing/act/": rule(CONFIGURED, url=of_desk("routing/act/"), method="post"),
        f"{desk}queues/<slug:queue>/topics/": rule(
            CONFIGURED, url=with_queue("queues/own-help/topics/")
        ),
        f"{desk}queues/new/": rule(CONFIGURED, url=of_desk("queues/new/")),
        f"{desk}queues/<slug:queue>/": rule(CONFIGURED, url=with_queue("queues/own-help/")),
        f"{desk}agents/new/": rule(CONFIGURED, url=of_desk("agents/new/")),
        f"{desk}agents/<int:user_id>/": rule(CONFIGURED, url=with_queue("agents/AGENT/")),
    }
