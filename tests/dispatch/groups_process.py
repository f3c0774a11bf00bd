"""The keeper of a test's groups, as a separate process.

It does what worker and beat do for the groups, and makes and removes groups while tests run.

python groups_process.py

Each line of its input is a command in JSON, each line of its output reports that it is done:
`{"make": [{"slug": "g1", "account": "north", "heartbeat_seconds": 1}]}` or `{"remove": "g1"}`.
Between two commands it sweeps, heals and advances upgrades, until it is ended.

Groups are made a day old, so that a loss of their data counts as a loss and not as an unfinished
creation.
"""

import json
import select
import sys
from datetime import timedelta
from typing import Any

import django

PAUSE_SECONDS = 0.2


def _make(rows: list[dict[str, Any]]) -> None:
    from django.utils import timezone

    from poolsite.access.models import Account
    from queueing.dispatch import services
    from queueing.dispatch.models import Group

    for row in rows:
        slug = row.pop("account", "")
        account = Account.objects.get(slug=slug) if slug else None
        group = services.group_create(actor="test", account=account, **row)
        Group.objects.filter(pk=group.pk).update(created_at=timezone.now() - timedelta(days=1))


def _remove(slug: str) -> None:
    """Delete the group as a deletion would, even if a peer of the test is still linked."""
    from django.utils import timezone

    from poolsite import hotpath
    from queueing.dispatch import dispatcher
    from queueing.dispatch.models import Group

    group = Group.objects.get(slug=slug)
    Group.objects.filter(pk=group.pk).update(deleted_at=timezone.now())
    hotpath.run(dispatcher.destroy(slug, group.generation))


def _look() -> None:
    """Check every group once."""
    from poolsite import hotpath
    from queueing.dispatch import services
    from tests.support.timers import let_time_pass

    try:
        let_time_pass("dispatch.group")
        services.watch_groups(0, 1)
        services.tick_upgrades()
    except (hotpath.HotPathError, OSError) as error:
        print(error, file=sys.stderr, flush=True)


def main() -> None:
    inputs = [sys.stdin]
    while True:
        _look()
        if not select.select(inputs, [], [], PAUSE_SECONDS)[0]:
            continue
        line = sys.stdin.readline()
        if not line:
            inputs.clear()  # no more commands will come
            continue
        order = json.loads(line)
        _make(order.get("make", []))
        if "remove" in order:
            _remove(order["remove"])
        print("done", flush=True)


if __name__ == "__main__":
    django.setup()
    main()
