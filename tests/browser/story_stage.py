"""Make the desk of the whole story: `story_stage SECRET ORIGIN …`.

A program for a migrated database, run in the environment of the site. SECRET signs visitors.
"""

import json
import sys

import django

from tests.browser.stage import sessions_of
from tests.support.waiting import patient

TTL_SECONDS = round(patient(12))


def main() -> None:
    django.setup()
    from django.contrib.auth import get_user_model

    from poolsite.access.models import Account, Membership
    from queueing.line.models import IdentityKey
    from queueing.line.services import desks, outcomes
    from queueing.line.services.widgets import widget_configure

    secret, *origins = sys.argv[1:]
    account = Account.objects.create(slug="ceramics", name="Blue Kiln")
    desk = desks.desk_create(actor="stage", slug="ceramics", name="Ceramics", account=account)
    widget_configure(actor="stage", desk=desk, origins=origins)
    IdentityKey.objects.create(desk=desk, secret=secret, created_by="stage")
    outcomes.outcomes_usual(actor="stage", desk=desk)
    given = {"ttl_seconds": TTL_SECONDS, "wrap_up_seconds": 600}
    queue = desks.queue_create(actor="stage", desk=desk, slug="glaze", name="Glaze", **given)
    people = []
    for name, role in (("kang.le", "agent"), ("ouyang.qi", "supervisor")):
        user = get_user_model().objects.create_user(name, email=f"{name}@example.org")
        Membership.objects.create(account=account, user=user, role=role)
        people.append(user)
    desks.agent_create(actor="stage", desk=desk, user=people[0], name="Kang Le", queues=[queue])
    print(json.dumps({"sessions": sessions_of(*people)}))


if __name__ == "__main__":
    main()
