"""Make the console's users and a pool: two operators, an owner, numbers, a switch's token.

A program for a migrated database, run in the environment of the site. It prints JSON. Every stage
prints `sessions`: the people that it has logged in, and each one's session.
"""

import json
from datetime import timedelta
from importlib import import_module
from typing import TYPE_CHECKING

import django

if TYPE_CHECKING:
    from poolsite.access.models import User

PASSWORD = "a long pass phrase for tests"  # for users who log in by the form; a hash costs 0.3 s
POOL = "retail-east"
NUMBERS = 40
FIRST = 13_800_000_000


def sessions_of(*users: "User") -> dict[str, str]:
    """Log people in without the form. Return user name → session, the value of the cookie."""
    from django.conf import settings
    from django.contrib.auth import login
    from django.http import HttpRequest

    sessions = {}
    for user in users:
        request = HttpRequest()
        request.session = import_module(settings.SESSION_ENGINE).SessionStore()
        login(request, user, backend=settings.AUTHENTICATION_BACKENDS[-1])
        request.session.save()
        sessions[user.username] = request.session.session_key or ""
    return sessions


def main() -> None:
    django.setup()
    from django.contrib.auth import get_user_model

    from numbers import services
    from poolsite.access.models import Account, ApiToken, Grant, Membership
    from poolsite.access.tokens import new_secret

    users = get_user_model().objects
    people = []
    for name, password in (("lin.mei", PASSWORD), ("zhou.yi", None)):
        first, last = name.title().split(".")
        names = {"first_name": first, "last_name": last, "is_operator": True}
        user = users.create_user(name, email=f"{name}@example.org", password=password, **names)
        for grant in ("operate", "finance"):
            Grant.objects.create(user=user, name=grant)
        people.append(user)
    account = Account.objects.create(slug="evergreen", name="Evergreen Retail")
    owner = users.create_user("chen.er", email="chen.er@example.org")
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
    told = {"token": secret.plain, "numbers": numbers, "sessions": sessions_of(*people, owner)}
    print(json.dumps(told))


if __name__ == "__main__":
    main()
