"""Make the data of the money pages: a customer with a used wallet, and four more.

A program for a migrated database, run in the environment of the site. It prints, as JSON, the
token of a second client, which sends and reports.
"""

import json
from datetime import timedelta

import django

from tests.browser.stage import PASSWORD, sessions_of

SLUG = "silver-fir"
OTHERS = ("north-bank", "careline", "city-light", "harbour")


def main() -> None:
    django.setup()
    from django.utils import timezone

    from billing.money import UNITS
    from billing.services.auditing import audit_some
    from billing.services.usage import sum_up
    from poolsite.access.services import token_create
    from tests.billing.pages.page_world import customer, lived

    made = lived(SLUG)
    sum_up(made.wallet)
    for place, slug in enumerate(OTHERS):
        other = customer(slug)
        other.hold(*(f"{slug}-{n}" for n in range(3 * place)))
        if place % 2:
            other.persist()
    owner = made.people["owner"]
    owner.set_password(PASSWORD)
    owner.save()
    made.wallet.daily_limit = 1_000 * UNITS
    made.wallet.save(update_fields=["daily_limit"])
    audit_some(20, 0)
    _, secret = token_create(
        name="gateway",
        account=None,  # reports come from the platform's gateway
        resources=["wallet:*"],
        actions=["billing.hold", "billing.view"],
        expires_at=timezone.now() + timedelta(days=1),
        actor="stage",
    )
    print(json.dumps({"token": secret, "sessions": sessions_of(owner)}))


if __name__ == "__main__":
    main()
