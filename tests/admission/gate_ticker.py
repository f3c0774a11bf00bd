"""What workers do for the gates: windows, loads, sweeps, the watch, the drain, samples.

A program that runs until it is ended, for sites without Celery. It prints "ready".
"""

import time

import django

EVERY_SECONDS = 0.5


def main() -> None:
    django.setup()
    from poolsite import history
    from poolsite.history import Aggregate
    from poolsite.jobs.models import Job
    from poolsite.jobs.runner import run
    from queueing.admission import services
    from queueing.admission.models import Gate
    from queueing.admission.services.loading import LOAD
    from tests.support.timers import let_time_pass

    print("ready", flush=True)
    while True:
        services.open_windows()
        for job in Job.objects.filter(kind=LOAD, state=Job.State.QUEUED):
            run(job.pk)
        let_time_pass("admission.gate")
        services.watch_gates(0, 1)
        services.sample_take()
        for gate in Gate.objects.all():
            history.drain("admission.gate", Aggregate(gate.tag, gate.pk))
        time.sleep(EVERY_SECONDS)  # waits: the pace of the tick


if __name__ == "__main__":
    main()
