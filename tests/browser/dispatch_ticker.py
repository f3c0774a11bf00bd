"""What worker and beat do for the groups, in turn. A program that runs until it is ended."""

import time

import django

EVERY_SECONDS = 0.3


def main() -> None:
    django.setup()
    from poolsite import history
    from poolsite.history import Aggregate
    from queueing.dispatch import services
    from queueing.dispatch.models import Group
    from tests.support.timers import let_time_pass

    groups = list(Group.objects.all())
    print("ready", flush=True)
    while True:
        let_time_pass("dispatch.group")
        services.end_untils()
        services.watch_groups(0, 1)
        services.note_peers(0, 1)
        services.tick_upgrades()
        for group in groups:
            history.drain("dispatch.group", Aggregate(group.tag, group.pk))
        time.sleep(EVERY_SECONDS)


if __name__ == "__main__":
    main()
