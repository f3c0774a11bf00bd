"""Make the data of the walk over every page, and print where the pages are, as JSON.

A program for a migrated database, run in the environment of the site. The pages are those of the
table of addresses (tests/access/url_rules.py), each with the objects that its row makes.
`manage.py demo_data --small` adds numbers, queues and money, and there is a customer and there are
numbers with a history.
"""

import json
from typing import Any

import django
from django.core.management import call_command
from django.test import Client

from tests.browser import health_stage
from tests.browser.health_stage import POOL

# The roles that open a page: on a phone the first of these who may see it, on a desktop the last.
WALKERS = ("nobody", "operate", "finance", "owner", "agent")
HOST = {"host": "127.0.0.1"}
WITH_DATA = {
    "pool": ("/pools/%s/", "/pools/%s/settings/", "/pools/%s/switches/"),
    "gate": ("/gates/%s/", "/gates/%s/holders/", "/gates/%s/batches/", "/gates/%s/settings/"),
    "group": ("/groups/%s/", "/groups/%s/events/", "/groups/%s/settings/"),
    "desk": (
        *("/desks/%s/", "/desks/%s/floor/", "/desks/%s/reports/?by=agent", "/desks/%s/settings/"),
        *("/desks/%s/reports/", "/desks/%s/replay/", "/desks/%s/messages/"),
    ),
    "queue": ("/q/%s/",),
    "account": ("/accounts/%s/", "/billing/accounts/%s/"),
}
# Pages of a customer with a used wallet, of numbers of every health, and of an open panel.
CUSTOMER = "lived"
LIVED = (
    f"/billing/accounts/{CUSTOMER}/",
    *(f"/accounts/{CUSTOMER}/{part}" for part in ("", "usage/", "entries/", "messages/")),
    *(f"/accounts/{CUSTOMER}/explain/{leg}/" for leg in ("spendable", "held")),
    *(f"/accounts/{CUSTOMER}/message/?id={message}" for message in ("m-text", "m-late")),
    *(f"/pools/{POOL}/health/", "/pools/health-silent/health/"),
    "/numbers/?panel=new",
)
WITH_FACTOR = (
    *("/security/", "/security/confirm/", "/security/app/remove/"),
    *("/security/codes/", "/security/codes/new/"),
)
WITH_PASSWORD = "/security/confirm/password/"


def main() -> None:
    django.setup()
    from billing.services.usage import sum_up
    from tests.access.second_factor import give_app, give_codes
    from tests.access.url_rules import RULES
    from tests.access.world import make_world
    from tests.billing.pages.page_world import lived

    call_command("demo_data", "--small")
    sum_up(lived(CUSTOMER).wallet)
    health_stage.main()
    world = make_world()
    for reader in WALKERS[1:]:
        world.users[reader].set_password("not used here")
        world.users[reader].save()
    clients = {reader: world.client(reader) for reader in WALKERS}
    pages: dict[str, tuple[str, str]] = {}
    desktop: dict[str, tuple[str, str]] = {}
    others = []
    for pattern, rule in RULES.items():
        if rule.method == "get" and _may_be_page(pattern):
            address = rule.url(world) if callable(rule.url) else rule.url or f"/{pattern}"
            readers = [r for r in _readers(rule.answers) if _is_page(clients[r], address)]
            if readers:
                pages[pattern] = (readers[0], address)
                desktop[pattern] = (readers[-1], address)
            else:
                others.append(pattern)
    for address in _with_data():
        pages[address] = ("nobody" if address.startswith("/q/") else "operate", address)
    pages |= {address: ("operate", address) for address in LIVED}
    _say_beside(world)
    give_app(world.users["operate"])
    give_codes(world.users["operate"])
    pages |= {address: ("operate", address) for address in WITH_FACTOR}
    pages[WITH_PASSWORD] = ("finance", WITH_PASSWORD)
    _have_had_troubles()
    sessions = {name: _session(client) for name, client in clients.items() if name != "nobody"}
    told = {"pages": pages, "desktop": pages | desktop, "others": others, "sessions": sessions}
    print(json.dumps(told))


def _may_be_page(pattern: str) -> bool:
    return pattern.startswith("api/v1/docs") or not pattern.startswith(("api/", "admin/"))


def _have_had_troubles() -> None:
    """Make an open incident of several objects, and one that is over."""
    from poolsite.operations import incidents

    for name in ("east", "west", "north"):
        incidents.open(
            type="numbers.blocking",
            object=name,
            severity="warning",
            title="Pool %(pool)s is short of numbers",
            detail="%(blocked)s of %(offered)s calls found no free number (%(percent)s).",
            remedy="Add numbers, or check which numbers are resting or offline.",
            url="/pools/",
            params={"pool": name, "blocked": 34, "offered": 531, "percent": "6.4%"},
        )
    incidents.close(type="numbers.blocking", object="north")


def _readers(answers: Any) -> list[str]:
    from tests.access.answers import expected_of

    # "confirm" asks for the second factor, which this site does without.
    return [each for each in WALKERS if expected_of(answers, each) in ("ok", "confirm")]


def _is_page(client: Client, address: str) -> bool:
    """Return whether it answers with a whole page: no fragment, file, figures or redirect."""
    answer = client.get(address, headers=HOST)
    if answer.status_code != 200 or answer.streaming:
        return False
    return answer["Content-Type"].startswith("text/html") and b"<html" in answer.content


def _with_data() -> list[str]:
    """Return the pages of the demo's first object of each kind."""
    from poolsite.console.managed import KINDS

    slugs = {}
    for name, kind in KINDS.items():
        first = kind.things().exclude(slug__startswith="own").order_by("slug").first()
        if first is not None:
            slugs[name] = first.slug
    return [each % slugs[name] for name, some in WITH_DATA.items() for each in some]


def _say_beside(world: Any) -> None:
    """Give names, and tags and notes of the greatest length."""
    from poolsite.access import principal_of_user
    from poolsite.console import managed
    from poolsite.operations import tags_and_notes

    actor = principal_of_user(world.users["operate"])
    for kind in managed.KINDS.values():
        for thing in kind.things()[:20]:
            if not thing.name:  # the table's rows make some without a name
                thing.name = thing.slug
                thing.save(update_fields=["name"])
            words = ["spare", "a tag that is as long as tags may be, yes"[:40]]
            tags_and_notes.set_tags(thing, words, actor=actor)
            tags_and_notes.add_note(thing, "Called the carrier. " + "w" * 120, actor=actor)


def _session(client: Client) -> str:
    from django.conf import settings

    return str(client.cookies[settings.SESSION_COOKIE_NAME].value)


if __name__ == "__main__":
    main()
