"""A worker of the books for tests that kill it: a process that forks a child for each command.

Commands come as JSON lines on stdin, with one answer each on stdout. `at` names a crash point,
`passing` the number of the pass through it, `how` the signal that the child sends itself there
(KILL or STOP).
"""

import io
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import poolsite  # noqa: F401  first: see poolsite/__init__.py


def work(order: dict[str, Any]) -> Any:
    from django.core.management import call_command

    from billing.models import Wallet
    from billing.persistence import rounds
    from billing.persistence.running import persist_shard
    from billing.services import outbox, rebuilding, safe_mode
    from tests.billing.books import book_support

    verb = order["verb"]
    if verb == "make":
        for slug in order["slugs"]:
            credit = order.get("credit", 0)
            row = book_support.live_wallet(
                slug,
                spendable=order["spendable"],
                credit_limit=credit,
                highest_credit_limit=credit,
            )
            for number, amount in enumerate(order.get("promotions", ())):
                book_support.granted(row, amount, 30 - number, f"{slug}-{number}")
        return len(order["slugs"])
    if verb == "persist":
        rounds.MOST_ACCOUNTS = order.get("at_once", rounds.MOST_ACCOUNTS)
        return persist_shard(0, 1).figures()
    if verb == "order":
        row = Wallet.objects.select_related("account").get(account__slug=order["slug"])
        outbox.order(row, order["kind"], order["amount"], order["operation"])
        return True
    if verb == "relay":
        outbox.YOUNG_SECONDS = -1
        return outbox.relay()
    if verb == "watch":
        return safe_mode.watch()
    if verb == "rebuild":
        row = Wallet.objects.select_related("account").get(account__slug=order["slug"])
        return rebuilding.rebuild(row, "test", lost=True).generation
    if verb == "rows":
        columns = ("account__slug", "spendable", "held", "receivable", "seq", "fence")
        return [list(row) for row in Wallet.objects.order_by("pk").values_list(*columns)]
    out = io.StringIO()
    try:
        call_command("audit", "--deep", stdout=out)
    except SystemExit:
        return out.getvalue()
    return ""


def crash_at(point: str, passing: int, how: str) -> None:
    from poolsite.runtime import crash_points

    passed = 0

    def count_down() -> None:
        nonlocal passed
        passed += 1
        if passed == passing:
            os.kill(os.getpid(), getattr(signal, f"SIG{how}"))

    crash_points._NAME = point
    crash_points._count_down = count_down


def in_child(order: dict[str, Any]) -> tuple[int, int]:
    """Fork. Return the child's PID and the file descriptor of its answer."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return pid, reading
    if order.get("at"):
        crash_at(order["at"], order.get("passing", 1), order.get("how", "KILL"))
    try:
        answer = json.dumps({"answer": work(order)})
    except BaseException as error:
        answer = json.dumps({"error": repr(error)})
    os.write(writing, answer.encode())
    os._exit(0)


def main() -> None:
    import django

    django.setup()
    from django.db import connections

    for connection in connections.all():  # a child opens its own connections
        connection.close()
        if connection.vendor == "postgresql":
            connection.close_pool()
    print("ready", flush=True)
    running: dict[int, int] = {}
    for line in sys.stdin:
        order = json.loads(line)
        if order["verb"] == "end":
            answer = finish(order["pid"], running.pop(order["pid"]))
        else:
            pid, reading = in_child(order)
            if order.get("wait", True):
                answer = finish(pid, reading)
            else:
                running[pid] = reading
                answer = {"pid": pid}
        print(json.dumps(answer), flush=True)


def finish(pid: int, reading: int) -> dict[str, Any]:
    with os.fdopen(reading) as file:
        said = file.read()
    _, status = os.waitpid(pid, 0)
    answer: dict[str, Any] = json.loads(said) if said else {}
    return {"signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0, **answer}


if __name__ == "__main__":
    main()
