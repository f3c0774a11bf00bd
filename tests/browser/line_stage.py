"""Make what the line's pages show: a desk with two queues, agents, a supervisor.

A program for a migrated database, run in the environment of the site; prints the queues' slugs.
"""

import json

import django

from tests.browser.console import PASSWORD

TTL_SECONDS = 12  # sockets show every five seconds that somebody is there


def main() -> None:
    django.setup()
    from django.contrib.auth import get_user_model

    from poolsite.access.models import Account, Membership
    from queueing.line.models import CannedReply
    from queueing.line.services import desks

    account = Account.objects.create(slug="evergreen", name="Evergreen Retail")
    desk = desks.desk_create(actor="stage", slug="care", name="Care", account=account)
    one = {"actor": "stage", "desk": desk, "ttl_seconds": TTL_SECONDS}
    billing = desks.queue_create(**one, slug="billing", name="Billing", wrap_up_seconds=60)
    help_ = desks.queue_create(**one, slug="help", name="Help", topics=["Order", "Delivery"])
    offers = desks.queue_create(**one, slug="offers", name="Offers", mode="offer")
    desks.queue_create(
        **one,
        slug="night",
        name="Night",
        is_open=False,
        closed_text="We are back in the morning.",
        hours={"0": [["09:00", "18:00"]], "1": [["09:00", "12:00"], ["13:00", "18:00"]]},
    )
    CannedReply.objects.create(desk=desk, shortcut="thanks", text="Thank you for waiting.")
    CannedReply.objects.create(desk=desk, shortcut="receipt", text="I am sending the receipt.")
    users = get_user_model().objects
    for name, queues, capacity in (
        ("li.jun", [help_], 1),
        ("wang.fang", [billing], 2),
        ("sun.hao", [offers], 1),
    ):
        user = users.create_user(name, email=f"{name}@example.org", password=PASSWORD)
        Membership.objects.create(account=account, user=user, role="agent")
        shown = name.replace(".", " ").title()
        desks.agent_create(
            actor="stage", desk=desk, user=user, name=shown, queues=queues, capacity=capacity
        )
    print(json.dumps({"queues": ["billing", "help", "offers", "night"]}))


if __name__ == "__main__":
    main()
