"""A process that drains, for tests that kill it. Usage: drain_process.py prepare|drain|rows."""

import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import poolsite  # noqa: F401  first: see poolsite/__init__.py


def main(verb: str) -> None:
    import django

    django.setup()
    from poolsite import history
    from tests.history import ledger

    aggregate = history.Aggregate("{t1}", 1)
    history.register(ledger.LedgerSource([aggregate]))
    if verb == "prepare":
        from django.core.management import call_command

        for app in ("history", "operations"):
            call_command("migrate", app, verbosity=0)
        ledger.create_table()
    elif verb == "drain":
        drained = history.drain(ledger.KIND, aggregate)
        print(json.dumps({"count": drained.count, "lag": drained.lag, "gaps": drained.gaps}))
    elif verb == "drain-forever":
        print("ready", flush=True)
        while True:
            history.drain(ledger.KIND, aggregate)
            time.sleep(0.001)
    else:
        print(json.dumps(ledger.rows(aggregate)))


if __name__ == "__main__":
    main(sys.argv[1])
