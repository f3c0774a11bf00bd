"""Make the people of a test's database; prints their cookies and tokens as JSON.

Run as a program on a migrated database: `python tests/live/people.py`.
"""

import json
from datetime import timedelta

import django

django.setup()

from django.conf import settings
from django.test import Client
from django.utils import timezone

from poolsite.access.models import Account, ApiToken, Grant, Membership, User
from poolsite.access.tokens import new_secret


def _cookie(user: User) -> str:
    client = Client()
    client.force_login(user)
    return f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"


def main() -> None:
    """Two accounts with an owner each, and an operator."""
    people = {}
    for slug in ("north", "south"):
        account = Account.objects.create(slug=slug, name=slug.title())
        user = User.objects.create_user(slug, password=None)
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
        people[slug] = {
            "user": user.pk,
            "account": account.pk,
            "cookie": _cookie(user),
            "token": secret.plain,
            "token_id": token.pk,
        }
    operator = User.objects.create_user("operator", password=None, is_operator=True)
    Grant.objects.create(user=operator, name="operate")
    people["operator"] = {"user": operator.pk, "account": 0, "cookie": _cookie(operator)}
    print(json.dumps(people))


if __name__ == "__main__":
    main()
