"""Make what browser tests look at: an operator, a customer's owner, and a pool with numbers.

A program for a migrated database; run in the environment of the site.
"""

import django

from tests.browser.console import PASSWORD


def main() -> None:
    django.setup()
    from django.contrib.auth import get_user_model

    from poolsite.access.models import Account, Grant, Membership

    users = get_user_model().objects
    names = {"first_name": "Lin", "last_name": "Mei", "is_operator": True}
    operator = users.create_user("lin.mei", email="lin@example.org", password=PASSWORD, **names)
    Grant.objects.create(user=operator, name="operate")
    account = Account.objects.create(slug="evergreen", name="Evergreen Retail")
    owner = users.create_user("chen.er", email="chen@example.org", password=PASSWORD)
    Membership.objects.create(account=account, user=owner, role="owner")


if __name__ == "__main__":
    main()
