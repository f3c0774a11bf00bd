"""What timers and workers do for the line: sweep, watch, drain. A program that runs until it is
ended. `--without-timers`: only what workers do.
"""

import sys
import time
from contextlib import suppress

import django

EVERY_SECONDS = 0.5


def main() -> None:
    django.setup()
    from numbers.services import watch_pools
    from poolsite import history, hotpath
    from poolsite.history import Aggregate
    from queueing.line.models import Desk
    from queueing.line.services.calling import sweep_calls
    from queueing.line.services.healing import watch_desks
    from queueing.line.services.message_calls import sweep_message_calls
    from queueing.line.services.visitor_mails import look_for_turns, send_due
    from tests.support.timers import let_time_pass

    desks = list(Desk.objects.all())
    print("ready", flush=True)
    while True:
        with suppress(hotpath.HotPathError):  # Redis is away: the next round does it
            if "--without-timers" not in sys.argv:
                let_time_pass("line.desk")
        sweep_calls(0, 1)
        sweep_message_calls(0, 1)
        look_for_turns(0, 1)
        send_due()
        watch_desks(0, 1)
        watch_pools(0, 1, counting=False)
        for desk in desks:
            history.drain("line.desk", Aggregate(desk.tag, desk.pk))
        time.sleep(EVERY_SECONDS)


if __name__ == "__main__":
    main()
