"""A program for a migrated site: create a pool with two numbers, or send one traced task.

`stage.py pool`, or `stage.py task FILE`, which prints the ID of the sender's trace.
"""

import sys

import django


def main(what: str, *words: str) -> str:
    from poolsite import tracing

    if what == "pool":
        from poolsite.access.models import Account
        from tests.numbers.people import make_pool

        make_pool(numbers=2, account=Account.objects.get(slug="north"))
        return ""
    from tests.jobs.worker_app import note

    tracing.start("stage")
    with tracing.span("who sends"):
        note.delay(words[0], "done")
        sent = tracing.trace_id()
    tracing.stop()
    return sent


if __name__ == "__main__":
    django.setup()
    print(main(*sys.argv[1:]))
