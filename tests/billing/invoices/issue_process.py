"""A process that issues the invoices of many accounts, some of them at once with another process.

Usage: issue_process.py prepare <accounts> | issue <threads> | report
"""

import json
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import poolsite  # noqa: F401  first: see poolsite/__init__.py


def main(verb: str, *words: str) -> None:
    import django

    from tests.billing.recharge.confirm_process import be_patient

    be_patient()
    django.setup()
    if verb == "prepare":
        prepare(int(words[0]))
    elif verb == "issue":
        issue(int(words[0]))
    else:
        report()


def prepare(count: int) -> None:
    from tests.billing.invoices.invoice_books import charges, later, set_up
    from tests.billing.recharge.money_people import payers

    set_up()
    for number in range(count):
        wallet = payers(f"account-{number}").wallet
        charges(wallet)
        later(wallet)


def issue(threads: int) -> None:
    """Wait for a line on standard input, then issue every account's invoices in every thread."""
    from django.db import connection

    from billing.models import Wallet
    from billing.services.invoices import invoice_issue
    from tests.billing.invoices.invoice_books import month

    wallets = list(Wallet.objects.select_related("account").order_by("pk"))
    failed: list[str] = []
    gate = threading.Barrier(threads)

    def all_of_them() -> None:
        gate.wait()
        try:
            for wallet in wallets:
                invoice_issue(wallet, month(wallet), actor="test")
        except Exception as error:
            failed.append(repr(error))
        finally:
            connection.close()

    workers = [threading.Thread(target=all_of_them) for _ in range(threads)]
    print("ready", flush=True)
    sys.stdin.readline()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print(json.dumps(failed))


def report() -> None:
    from billing.models import Invoice, InvoiceSeries
    from billing.persistence.invoices import unlike_numbers

    rows = Invoice.objects.order_by("serial").values_list("serial", "wallet__account__slug")
    lasts = list(InvoiceSeries.objects.values_list("last", flat=True))
    told = {"invoices": list(rows), "lasts": lasts, "unlike": len(unlike_numbers())}
    print(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
