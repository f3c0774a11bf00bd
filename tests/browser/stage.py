"""Make what browser tests look at: people, a pool with numbers, and a switch's token.

A program for a migrated database, run in the environment of the site; prints what the second
client needs as JSON.
"""

import json
from datetime import timedelta

import django

from tests.browser.console import PASSWORD, POOL

NUMBERS = 40
FIRST = 13_800_000_000


def main() -> None:
    django.setup()
    from django.contrib.auth import get_user_model

    from numbers import services
    from poolsite.access.models import Account, ApiToken, Grant, Membership
    from poolsite.access.tokens import new_secret

    users = get_user_model().objects
    names = {"first_name": "Lin", "last_name": "Mei", "is_operator": True}
    operator = users.create_user("lin.mei", email="lin@example.org", password=PASSWORD, **names)
    Grant.objects.create(user=operator, name="operate")
    account = Account.objects.create(slug="evergreen", name="Evergreen Retail")
    owner = users.create_user("chen.er", email="chen@example.org", password=PASSWORD)
    Membership.objects.create(account=account, user=owner, role="owner")

    numbers = [f"+86{FIRST + place}" for place in range(NUMBERS)]
    pool = services.pool_create(actor="stage", slug=POOL, name="Retail East", account=account)
    services.numbers_add(actor="stage", pool=pool, values=numbers)
    secret = new_secret()
    ApiToken.objects.create(
        account=account,
        name="fs-01",
        prefix=secret.prefix,
        secret_hash=secret.hash,
        resources=["*"],
        actions=["*"],
        events=["*"],
        expires_at=pool.created_at + timedelta(days=1),
    )
    print(json.dumps({"token": secret.plain, "numbers": numbers}))


if __name__ == "__main__":
    main()
