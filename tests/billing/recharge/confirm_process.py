"""A process that confirms one payment many times at once.

Usage: confirm_process.py prepare | confirm <recharge> <threads> | report
"""

import json
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import poolsite  # noqa: F401  first: see poolsite/__init__.py


def main(verb: str, *words: str) -> None:
    import django

    be_patient()
    django.setup()
    if verb == "prepare":
        prepare()
    elif verb == "confirm":
        confirm(int(words[0]), int(words[1]))
    else:
        report()


def be_patient() -> None:
    """Allow long waits: on a busy machine 50 threads wait long for their turn."""
    from django.conf import settings

    options = settings.DATABASES["default"]["OPTIONS"]
    waiting = options.get("pool", options)
    waiting["timeout"] = 150


def prepare() -> None:
    from tests.billing.recharge.money_people import payers, started

    print(started(payers(), 100).pk)


def confirm(recharge_pk: int, threads: int) -> None:
    """Wait for a line on standard input, then confirm from every thread at once."""
    from django.db import connection

    from billing.models import Recharge
    from billing.recharging import stripe_events
    from billing.recharging.reports import deliver
    from tests.billing.recharge.money_people import completed

    said = stripe_events.report_of(completed(Recharge.objects.get(pk=recharge_pk)))
    assert said is not None
    answers: list[str] = []
    gate = threading.Barrier(threads)

    def once() -> None:
        gate.wait()
        try:
            answers.append(deliver(said).value)
        finally:
            connection.close()

    workers = [threading.Thread(target=once) for _ in range(threads)]
    print("ready", flush=True)
    sys.stdin.readline()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print(json.dumps(answers))


def report() -> None:
    from billing.models import MoneyOrder, Wallet
    from tests.billing.recharge.money_people import spendable

    orders = list(MoneyOrder.objects.values_list("operation_id", "amount"))
    wallet = Wallet.objects.select_related("account").get()
    print(json.dumps({"orders": orders, "spendable": spendable(wallet)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
