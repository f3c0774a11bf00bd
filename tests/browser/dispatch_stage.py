"""Make the data of the dispatcher's pages: an empty group, a pool, an operator who may act.

A program for a migrated database, run in the environment of the site. It prints the part `groups`
of a simulation file, and `lines`: the numbers of the pool, which its switch must register.
"""

import json

import django

from tests.browser.stage import sessions_of
from tests.support.waiting import patient

INSTANCES = ["as-1", "as-2", "as-3"]
FRONTS = [{"id": "sip-1", "profile": "SIP"}, {"id": "bicc-1", "profile": "BICC"}]
SESSION_SECONDS = 1.5
LINES = [f"+86{13_810_000_000 + place}" for place in range(60)]


def main() -> None:
    django.setup()
    from django.contrib.auth import get_user_model

    from numbers import services
    from numbers.services import switch_create
    from poolsite.access.models import Account, Grant
    from poolsite.access.services import token_create
    from queueing.dispatch.services import group_create

    account = Account.objects.create(slug="signals", name="Signals")
    group = group_create(
        actor="stage",
        slug="asi",
        name="Application servers",
        account=account,
        heartbeat_seconds=1,
        missed_limit=3,
        disconnect_seconds=round(patient(20)),
    )
    user = get_user_model().objects.create_user(
        "zhang.wei", email="zhang.wei@example.org", is_operator=True
    )
    Grant.objects.create(user=user, name="operate")
    pool = services.pool_create(actor="stage", slug="callers", name="Callers", account=account)
    services.numbers_add(actor="stage", pool=pool, values=LINES)
    _, pool_token = switch_create(actor="stage", pool=pool, name="asi")
    _, secret = token_create(
        name="peers",
        account=account,
        resources=[f"group:{group.slug}"],
        actions=["dispatch.link", "dispatch.view"],
        actor="stage",
    )
    played = {
        "slug": group.slug,
        "token": secret,
        "fronts": FRONTS,
        "instances": INSTANCES,
        "version": "1.0",
        "capacity": 40,
        "session_seconds": SESSION_SECONDS,
        "sessions_per_second": 4.0,
        "pool": pool.slug,
        "switch": "asi",
        "pool_token": pool_token,
    }
    print(json.dumps({"groups": [played], "lines": LINES, "sessions": sessions_of(user)}))


if __name__ == "__main__":
    main()
