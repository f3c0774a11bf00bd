"""A process that drains, for tests that kill it. Usage: drain_process.py prepare|drain|rows."""

import json
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import poolsite  # noqa: F401  first: see poolsite/__init__.py
from tests.support.waiting import patient


def be_impatient() -> None:
    """Give up soon if PostgreSQL is down: tests would wait for the usual timeout."""
    from django.conf import settings

    options = settings.DATABASES["default"]["OPTIONS"]
    if "pool" in options:
        options["pool"]["timeout"] = patient(2)


def main(verb: str) -> None:
    import django

    be_impatient()
    django.setup()
    from poolsite import history
    from tests.history import ledger

    aggregate = history.Aggregate("{t1}", 1)
    history.register(ledger.LedgerSource([aggregate]))
    if verb == "prepare":
        ledger.create_table()
    elif verb == "drain":
        drained = history.drain(ledger.KIND, aggregate)
        print(json.dumps({"count": drained.count, "lag": drained.lag, "gaps": drained.gaps}))
    elif verb == "drain-forever":
        print("ready", flush=True)
        try:
            while True:
                history.drain(ledger.KIND, aggregate)
                time.sleep(0.001)  # waits: a pace that leaves others the database
        finally:
            os._exit(1)  # don't wait for the connection pool of a server that is gone
    else:
        print(json.dumps(ledger.rows(aggregate)))


if __name__ == "__main__":
    main(sys.argv[1])
