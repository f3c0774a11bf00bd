"""Who may open the pages and the API of webhooks: rows of tests/access/url_rules.py.

Operations with a body refuse an empty one before they check rights: those rights are in
tests/operations/test_webhook_faces.py.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from poolsite.operations.webhooks import services
from tests.access.world import World

if TYPE_CHECKING:
    from tests.access.url_rules import Rule

MANAGERS_OWN = {
    "nobody": "login",
    **dict.fromkeys(("owner", "admin", "foreign", "operators"), "ok"),
    "*": "no",
}
CHANGERS_OWN = {**MANAGERS_OWN, "operators": "no", "operate": "ok"}
SEEN = {**MANAGERS_OWN, **dict.fromkeys(("foreign", "roleless"), "hidden")}
CHANGED = {**SEEN, "operators": "no", "operate": "ok"}
API_WRITES = {"nobody": "login", "*": "ok"}


def of_endpoint(path: str) -> Callable[[World], str]:
    """Return a function for a URL of an endpoint of `own`, with a delivery in its log."""

    def make(world: World) -> str:
        made = services.endpoint_create(
            actor="test", account=world.own, name="Hook", url="https://own.example/", events=["*"]
        )
        delivery = services.endpoint_test(endpoint=made, actor="test")
        return path.replace("SLUG", made.slug).replace("ID", str(delivery.pk))

    return make


def rows(rule: "type[Rule]") -> "dict[str, Rule]":
    """Return the rows, created with the class that url_rules has."""
    one, api = "webhooks/<slug:slug>/", "api/v1/webhooks/<slug>"
    found = {
        "webhooks/": rule(MANAGERS_OWN),
        "webhooks/new/": rule(CHANGERS_OWN),
        one: rule(SEEN, url=of_endpoint("/webhooks/SLUG/")),
        f"{one}edit/": rule(CHANGED, url=of_endpoint("/webhooks/SLUG/edit/")),
        f"{one}deliveries/<int:delivery_id>/": rule(
            SEEN, url=of_endpoint("/webhooks/SLUG/deliveries/ID/")
        ),
        f"{one}deliveries/<int:delivery_id>/resend/": rule(
            CHANGED, url=of_endpoint("/webhooks/SLUG/deliveries/ID/resend/"), method="post"
        ),
        "api/v1/webhook-events": rule(MANAGERS_OWN),
        "api/v1/webhooks": rule(MANAGERS_OWN),
        api: rule(SEEN, url=of_endpoint("/api/v1/webhooks/SLUG")),
        f"{api}/deliveries": rule(SEEN, url=of_endpoint("/api/v1/webhooks/SLUG/deliveries")),
        f"{api}/deliveries/<delivery>": rule(
            SEEN, url=of_endpoint("/api/v1/webhooks/SLUG/deliveries/ID")
        ),
        f"{api}/deliveries/<delivery>/resend": rule(
            CHANGED, url=of_endpoint("/api/v1/webhooks/SLUG/deliveries/ID/resend"), method="post"
        ),
        f"{api}/disable": rule(
            API_WRITES, url=of_endpoint("/api/v1/webhooks/SLUG/disable"), method="post"
        ),
    }
    for verb in ("disable", "enable", "rotate", "test", "resend"):
        page = of_endpoint(f"/webhooks/SLUG/{verb}/")
        found[f"{one}{verb}/"] = rule(CHANGED, url=page, method="post")
    for verb in ("enable", "rotate", "test", "resend"):
        found[f"{api}/{verb}"] = rule(
            CHANGED, url=of_endpoint(f"/api/v1/webhooks/SLUG/{verb}"), method="post"
        )
    # The first reader with the right, the owner, deletes it. For later readers, it doesn't exist.
    found[f"{one}delete/"] = rule(
        {"nobody": "login", "owner": "ok", "*": "hidden"},
        url=of_endpoint("/webhooks/SLUG/delete/"),
        method="post",
    )
    return found
