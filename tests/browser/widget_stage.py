"""Make a desk whose chat is on other sites: `widget_stage ORIGIN …`.

A program for a migrated database with what line_stage makes, run in the environment of the site.
"""

import json
import sys

import django

from tests.browser.stage import sessions_of
from tests.support.waiting import patient

TTL_SECONDS = round(patient(12))
SERVED = {"plants": "gao.feng", "planters": "he.mu", "phone": "lei.tao"}


def main() -> None:
    django.setup()
    from django.contrib.auth import get_user_model

    from poolsite.access.models import Account, Membership
    from queueing.line.services import desks
    from queueing.line.services.widgets import widget_configure

    account = Account.objects.create(slug="greens", name="Evergreen")
    desk = desks.desk_create(actor="stage", slug="greens", name="Greens", account=account)
    look = {"origins": sys.argv[1:], "colour": "#14553a", "greeting": "Hello, plant people."}
    widget_configure(actor="stage", desk=desk, **look)
    people = []
    for slug, name in SERVED.items():
        queue = desks.queue_create(
            actor="stage", desk=desk, slug=slug, name=slug.title(), ttl_seconds=TTL_SECONDS
        )
        user = get_user_model().objects.create_user(name, email=f"{name}@example.org")
        Membership.objects.create(account=account, user=user, role="agent")
        shown = name.replace(".", " ").title()
        desks.agent_create(actor="stage", desk=desk, user=user, name=shown, queues=[queue])
        people.append(user)
    print(json.dumps({"sessions": sessions_of(*people)}))


if __name__ == "__main__":
    main()
