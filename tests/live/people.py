"""Create people in a test's database, or remove their rights. Prints JSON.

A program for a migrated database: `people.py make north south`, `people.py end <cookie>` (a
session), `people.py demote <user>` (all memberships), `people.py revoke <token>`. The last three
print the time at which the change was committed.
"""

import json
import sys
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import django

if TYPE_CHECKING:
    from poolsite.access.models import User


def _cookie(user: "User") -> str:
    from django.conf import settings
    from django.test import Client

    client = Client()
    client.force_login(user)
    return f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"


def _make(slug: str) -> dict[str, Any]:
    """Create an account with its owner and a token, or an operator if the name is `operator…`."""
    from django.utils import timezone

    from poolsite.access.models import Account, ApiToken, Grant, Membership, User
    from poolsite.access.tokens import new_secret

    user = User.objects.create_user(slug, password=None, is_operator=slug.startswith("operator"))
    if slug.startswith("operator"):
        Grant.objects.create(user=user, name="operate")
        return {"user": user.pk, "account": 0, "cookie": _cookie(user)}
    account = Account.objects.create(slug=slug, name=slug.title())
    Membership.objects.create(account=account, user=user, role="owner")
    secret = new_secret()
    token = ApiToken.objects.create(
        account=account,
        name=slug,
        prefix=secret.prefix,
        secret_hash=secret.hash,
        resources=["*"],
        actions=["*"],
        events=["*"],
        expires_at=timezone.now() + timedelta(days=1),
    )
    return {
        "user": user.pk,
        "account": account.pk,
        "cookie": _cookie(user),
        "token": secret.plain,
        "token_id": token.pk,
    }


def _end(cookie: str) -> None:
    from django.contrib.sessions.models import Session

    Session.objects.get(session_key=cookie.partition("=")[2]).delete()


def _demote(user: str) -> None:
    from poolsite.access.models import Membership

    for membership in Membership.objects.filter(user=int(user)):
        membership.delete()


def _revoke(token: str) -> None:
    from django.utils import timezone

    from poolsite.access.models import ApiToken

    row = ApiToken.objects.get(pk=int(token))
    row.revoked_at = timezone.now()
    row.save()


def main(verb: str, *names: str) -> None:
    """Run the verb and print its result."""
    django.setup()
    if verb == "make":
        print(json.dumps({name: _make(name) for name in names}))
        return
    {"end": _end, "demote": _demote, "revoke": _revoke}[verb](*names)
    print(json.dumps(time.time()))


if __name__ == "__main__":
    main(*sys.argv[1:])
