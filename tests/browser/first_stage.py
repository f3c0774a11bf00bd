"""Make the first operator, or the first pool, of an empty installation.

A program for a migrated database, run in the environment of the site.
"""

import json
import sys
from typing import Any

import django

from tests.browser.stage import sessions_of


def operator() -> dict[str, Any]:
    from poolsite.access import services

    user = services.user_create(username="first", is_operator=True, actor="test")
    for name in ("operate", "finance"):
        services.grant_set(user=user, name=name, actor="test")
    return {"sessions": sessions_of(user)}


def pool() -> dict[str, Any]:
    from numbers.services import pool_create

    pool_create(slug="north", name="North", actor="test")
    return {}


if __name__ == "__main__":
    django.setup()
    print(json.dumps({"operator": operator, "pool": pool}[sys.argv[1]]()))
