"""Who may open the dispatcher's URLs: rows of url_rules, and the objects that they need."""

from collections.abc import Callable, Mapping
from typing import Any

from queueing.dispatch.models import Group, Upgrade
from tests.access.world import World

SEE = {
    "nobody": "login",
    **dict.fromkeys(("owner", "admin", "supervisor", "foreign", "operators"), "ok"),
    "*": "no",
}
SEE_IT = {**SEE, "foreign": "hidden", "roleless": "hidden"}
# A reader who may view learns that the session or peer doesn't exist. Others are refused before.
SEE_NOTHING = {
    **{name: "hidden" if answer == "ok" else answer for name, answer in SEE_IT.items()},
}
OPERATE_IT = {
    "nobody": "login",
    "operate": "ok",
    "foreign": "hidden",
    "roleless": "hidden",
    "*": "no",
}
CREATE = {"nobody": "login", "operate": "ok", "*": "no"}
# The body is checked before the rights: without one, everyone learns that it is malformed.
# tests/dispatch/test_api.py has the rights.
BODY_FIRST = {"nobody": "login", "*": "ok"}


def own_group(world: World) -> Group:
    """Return the group of the account `own`."""
    return Group.objects.get_or_create(slug="own-group", account=world.own)[0]


def of_group(url: str) -> Callable[[World], str]:
    """Return a function for a URL below the account's group."""

    def make(world: World) -> str:
        own_group(world)
        return url

    return make


def of_upgrade(template: str) -> Callable[[World], str]:
    """Return a function for a URL of an upgrade of that group. %s stands for its number."""

    def make(world: World) -> str:
        upgrade = Upgrade.objects.get_or_create(group=own_group(world), target_version="2")[0]
        return template % upgrade.pk

    return make


def rows(rule: Callable[..., Any]) -> Mapping[str, Any]:
    """Return the rows, created with url_rules.Rule."""
    one, url = "api/v1/groups/<slug>", "/api/v1/groups/own-group"
    page, address = "groups/<slug:slug>/", "/groups/own-group/"
    upgrade, number = "upgrades/<int:upgrade_id>/", "upgrades/%s/"

    def post(path: str, answers: Mapping[str, str] = BODY_FIRST) -> Any:
        return rule(answers, url=of_group(f"{url}/{path}"), method="post")

    return {
        "api/v1/groups": rule(SEE),
        one: rule(SEE_IT, url=of_group(url)),
        f"{one}/instances": rule(SEE_IT, url=of_group(f"{url}/instances")),
        # Removing it needs a reason, as posts need a body.
        f"{one}/instances/<name>": rule(
            BODY_FIRST, url=of_group(f"{url}/instances/as-1"), method="delete"
        ),
        f"{one}/instances/<name>/manual": post("instances/as-1/manual"),
        f"{one}/instances/<name>/backup": post("instances/as-1/backup"),
        f"{one}/instances/<name>/uneject": post("instances/as-1/uneject"),
        f"{one}/peers/<peer>/disconnect": post("peers/f:sip-1/disconnect"),
        f"{one}/front-ends": rule(SEE_IT, url=of_group(f"{url}/front-ends")),
        f"{one}/front-ends/<peer_id>/count": post("front-ends/sip-1/count"),
        f"{one}/sessions": rule(SEE_NOTHING, url=of_group(f"{url}/sessions?peer=f:sip-1")),
        f"{one}/sessions/explain": rule(
            SEE_NOTHING, url=of_group(f"{url}/sessions/explain?session=sip-1/1")
        ),
        f"{one}/sessions/end": post("sessions/end?session=sip-1/1"),
        f"{one}/events": rule(SEE_IT, url=of_group(f"{url}/events")),
        f"{one}/upgrades": rule(SEE_IT, url=of_group(f"{url}/upgrades")),
        f"{one}/upgrades/<upgrade>": rule(SEE_IT, url=of_upgrade(f"{url}/upgrades/%s")),
        f"{one}/upgrades/<upgrade>/force": post("upgrades/1/force"),
        f"{one}/upgrades/<upgrade>/abort": post("upgrades/1/abort"),
        "groups/": rule(SEE),
        "groups/new/": rule(CREATE),
        page: rule(SEE_IT, url=of_group(address)),
        f"{page}samples/": rule(SEE_IT, url=of_group(f"{address}samples/")),
        f"{page}act/": rule(OPERATE_IT, url=of_group(f"{address}act/"), method="post"),
        f"{page}settings/": rule(OPERATE_IT, url=of_group(f"{address}settings/")),
        f"{page}delete/": rule(OPERATE_IT, url=of_group(f"{address}delete/"), method="post"),
        f"{page}sessions/": rule(SEE_IT, url=of_group(f"{address}sessions/")),
        f"{page}events/": rule(SEE_IT, url=of_group(f"{address}events/")),
        f"{page}events.csv": rule(SEE_IT, url=of_group(f"{address}events.csv")),
        f"{page}{upgrade}": rule(SEE_IT, url=of_upgrade(f"{address}{number}")),
        f"{page}{upgrade}act/": rule(
            OPERATE_IT, url=of_upgrade(f"{address}{number}act/"), method="post"
        ),
    }
