"""Make the data of the tests of a visitor's choices: a desk with queues and an agent for each.

A program for a migrated database, run in the environment of the site.
"""

import json

import django

from tests.browser.stage import sessions_of
from tests.support.waiting import patient

TTL_SECONDS = round(patient(12))  # sockets show every five seconds that a visitor is there


def main() -> None:
    django.setup()
    from django.contrib.auth import get_user_model

    from poolsite.access.models import Account, Membership
    from queueing.line.services import desks

    account = Account.objects.create(slug="juniper", name="Juniper Gardens")
    desk = desks.desk_create(actor="stage", slug="garden", name="Garden", account=account)
    one = {"actor": "stage", "desk": desk, "ttl_seconds": TTL_SECONDS}
    users = get_user_model().objects
    people = []
    for slug, name, agent in (
        ("seeds", "Seeds", "gu.yan"),
        ("pots", "Pots", "qin.lan"),
        ("tools", "Tools", "shi.yu"),
        ("trees", "Trees", "wu.tong"),
    ):
        queue = desks.queue_create(**one, slug=slug, name=name)
        user = users.create_user(agent, email=f"{agent}@example.org")
        people.append(user)
        Membership.objects.create(account=account, user=user, role="agent")
        shown = agent.replace(".", " ").title()
        desks.agent_create(actor="stage", desk=desk, user=user, name=shown, queues=[queue])
    # no agent serves it: visitors write a message, and then they have waited too long
    longest = round(patient(6))
    desks.queue_create(**one, slug="hedges", name="Hedges", max_wait_seconds=longest)
    print(json.dumps({"sessions": sessions_of(*people)}))


if __name__ == "__main__":
    main()
