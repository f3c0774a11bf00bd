"""Make the data of the routing tests: a desk whose topics lead to two queues, a secret, an owner.

A program for a migrated database with line_stage's account, run in the environment of the site.
"""

import json

import django

from tests.browser.line_stage import TTL_SECONDS
from tests.browser.stage import sessions_of


def main() -> None:
    django.setup()
    from django.contrib.auth import get_user_model

    from poolsite.access.models import Account, Membership
    from queueing.line.models import Topic
    from queueing.line.services import desk_settings, desks, identities, routing

    account = Account.objects.get(slug="meadow")
    desk = desks.desk_create(actor="stage", slug="shop", name="Shop", account=account)
    one = {"actor": "stage", "desk": desk, "ttl_seconds": TTL_SECONDS}
    door = desks.queue_create(**one, slug="shop-door", name="Shop")
    bills = desks.queue_create(**one, slug="shop-bills", name="Invoices")
    desks.queue_create(
        **one,
        slug="shop-rest",
        name="Night desk",
        is_open=True,
        zone="Asia/Shanghai",
        closed_text="The night desk is resting.",
        hours={"0": [["09:00", "09:01"]]},
    )
    desk_settings.skill_create(actor="stage", desk=desk, slug="invoices", name="Invoices")
    rest = desk.queues.get(slug="shop-rest")
    topics = [
        Topic(text="Delivery", texts={"zh-hans": "配送"}),
        Topic(text="Invoice", texts={"zh-hans": "发票"}, target=bills, skills={"invoices": 2}),
        Topic(text="At night", target=rest),
    ]
    routing.topics_save(actor="stage", queue=door, topics=topics)
    users = get_user_model().objects
    people = []
    for name, role in (("rui.an", "agent"), ("wen.bo", "owner")):
        user = users.create_user(name, email=f"{name}@example.org")
        Membership.objects.create(account=account, user=user, role=role)
        people.append(user)
    desks.agent_create(
        actor="stage",
        desk=desk,
        user=people[0],
        name="Rui An",
        queues=[bills],
        skills={"invoices": 2},
    )
    secret = identities.key_new(actor="stage", desk=desk)
    print(json.dumps({"sessions": sessions_of(*people), "secret": secret}))


if __name__ == "__main__":
    main()
