"""A desk with one queue and a short time to live of heartbeats, for tests that cut real sockets.

A program for a migrated database, run in the environment of the site. It prints as JSON how its
agent logs in.
"""

import json

import django

from tests.support.waiting import patient

# The server (tests/live/brisk_app.py) sends a heartbeat request to every open socket each second.
TTL_SECONDS, GRACE_SECONDS = round(patient(4)), round(patient(6))
ROOM_GRACE_SECONDS = round(patient(10))  # also for an agent


def main() -> None:
    django.setup()
    from poolsite.access.models import Account, Membership, User
    from queueing.line.models import Queue
    from queueing.line.services import desks
    from tests.live.people import _cookie

    account = Account.objects.create(slug="evergreen", name="Evergreen")
    desk = desks.desk_create(actor="stage", slug="care", name="Care", account=account)
    queue = desks.queue_create(actor="stage", desk=desk, slug="help", name="Help")
    # shorter than the setting allows, to keep the tests' waits short
    Queue.objects.filter(pk=queue.pk).update(
        ttl_seconds=TTL_SECONDS,
        grace_seconds=GRACE_SECONDS,
        room_grace_seconds=ROOM_GRACE_SECONDS,
        agent_grace_seconds=ROOM_GRACE_SECONDS,
    )
    user = User.objects.create_user("li.jun", password=None)
    Membership.objects.create(account=account, user=user, role="agent")
    queue.refresh_from_db()
    desks.apply_queue(queue)
    desks.agent_create(actor="stage", desk=desk, user=user, name="Li Jun", queues=[queue])
    print(json.dumps({"user": user.pk, "cookie": _cookie(user)}))


if __name__ == "__main__":
    main()
