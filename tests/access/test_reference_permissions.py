"""The API reference names exactly the permissions that let a token read.

Writes check the body before the permissions, so without a body they prove nothing.
"""

import re

import pytest
from django.test import Client

from poolsite.access import services
from poolsite.access.token_areas import rights
from poolsite.api.reference_access import ROOT, Access, accesses_of
from poolsite.api.root import api
from tests.access.url_rules import RULES
from tests.access.world import World

API = [
    pattern
    for pattern, rule in RULES.items()
    if pattern.startswith("api/v1/") and rule.method == "get"
]
REFUSED = (401, 403, 404)


def told(pattern: str) -> Access:
    """Return what the reference states about the operation of a URL pattern."""
    path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", pattern.removeprefix("api/v1/"))
    return accesses_of(api)("GET", ROOT + path)


def status(world: World, pattern: str, actions: list[str]) -> int:
    """Return the status that a token of the account gets with these permissions."""
    rule = RULES[pattern]
    url = rule.url(world) if callable(rule.url) else rule.url or f"/{pattern}"
    _, secret = services.token_create(
        name="t", account=world.own, resources=["*"], actions=actions, actor="test"
    )
    return Client().get(url, headers={"authorization": f"Bearer {secret}"}).status_code


NAMED = [pattern for pattern in API if "token" in told(pattern).accepts and told(pattern).labels]


@pytest.mark.parametrize("pattern", NAMED)
def test_a_token_needs_the_permissions_that_the_reference_names(world: World, pattern: str) -> None:
    names = {right.label: action for action, right in rights().items()}
    needed = [names[label] for label in told(pattern).labels]
    others = [action for action in rights() if action not in needed]
    assert status(world, pattern, needed) == status(world, pattern, list(rights()))
    assert status(world, pattern, others) in REFUSED


def test_most_operations_with_an_address_are_compared() -> None:
    assert len(NAMED) > 12
