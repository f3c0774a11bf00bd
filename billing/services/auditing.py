"""The audit in the background: bounded chunks, green or red for the console, and an incident."""

import logging
from collections.abc import Sequence

from django.utils import timezone
from django.utils.translation import gettext_noop

from billing.models import AuditRun, Wallet
from billing.persistence.differences import Difference
from billing.persistence.invoices import unlike_numbers
from billing.persistence.proving import CHUNK, audit
from billing.persistence.running import REDIS_ERRORS
from poolsite.live import touch
from poolsite.operations import incidents
from poolsite.operations.models import Incident

logger = logging.getLogger(__name__)

MOST_NAMED = 20
INCIDENT = "billing.audit"
NUMBERS = "billing.invoice_numbers"


def audit_some(seconds: float, every_seconds: float) -> dict[str, int]:
    """Continue the background audit for a bounded time; start a new run when it is due."""
    begun = timezone.now()
    run = _current_run(every_seconds)
    done = {"wallets": 0, "different": 0}
    while run is not None and (timezone.now() - begun).total_seconds() < seconds:
        rows = Wallet.objects.select_related("account").order_by("pk").filter(pk__gt=run.position)
        chunk = list(rows[:CHUNK])
        if not chunk:
            _prove_numbers()
            run.ended_at = timezone.now()
            run.save(update_fields=["ended_at"])
            touch("billing.books:all")
            break
        try:
            checked, differences = _check(chunk)
        except REDIS_ERRORS as error:
            logger.warning("billing: the audit waits for Redis: %s", error)
            done["failed"] = 1
            break
        done["wallets"] += len(checked)
        done["different"] += _note(run, chunk[-1].pk, checked, differences)
    return done


def _check(chunk: Sequence[Wallet]) -> tuple[list[Wallet], list[Difference]]:
    """Audit these wallets, apart from those whose own Redis is away. Return the audited ones and
    the differences. Raise REDIS_ERRORS if the common Redis is away.
    """
    checked: list[Wallet] = []
    differences: list[Difference] = []
    for server in dict.fromkeys(wallet.redis for wallet in chunk):
        part = [wallet for wallet in chunk if wallet.redis == server]
        try:
            differences += audit(part, whole=False)
        except REDIS_ERRORS as error:
            if not server:
                raise
            logger.warning("billing: the audit leaves out server %r: %s", server, error)
        else:
            checked += part
    return checked, differences


def _current_run(every_seconds: float) -> AuditRun | None:
    run = AuditRun.objects.order_by("-pk").first()
    if run is None or (
        run.ended_at and (timezone.now() - run.started_at).total_seconds() >= every_seconds
    ):
        run = AuditRun.objects.create()
        # unaudited: the audit's own log of runs
        AuditRun.objects.filter(pk__lt=run.pk - 1_000).delete()
    return run if run.ended_at is None else None


def _note(
    run: AuditRun, position: int, checked: Sequence[Wallet], differences: Sequence[Difference]
) -> int:
    by_slug: dict[str, Difference] = {}
    for difference in differences:
        by_slug.setdefault(difference.slug, difference)
    red = Incident.objects.filter(until=None, type=INCIDENT)
    known = set(red.values_list("object", flat=True))
    for wallet in checked:
        first = by_slug.get(wallet.slug)
        if first is not None:
            _say_red(wallet, first)
            if len(run.differences) < MOST_NAMED:
                run.differences[wallet.slug] = str(first)
        elif wallet.slug in known:
            incidents.close(type=INCIDENT, object=wallet.slug)
    run.position = position
    run.wallets += len(checked)
    run.different += len(by_slug)
    run.save(update_fields=["position", "wallets", "different", "differences"])
    touch("billing.books:all")
    return len(by_slug)


def _prove_numbers() -> None:
    """Open an incident for each sequence of invoice numbers with gaps, and close the others."""
    wrong = {each.slug: each for each in unlike_numbers()}
    red = Incident.objects.filter(until=None, type=NUMBERS)
    for name in set(red.values_list("object", flat=True)) - wrong.keys():
        incidents.close(type=NUMBERS, object=name)
    for name, difference in wrong.items():
        incidents.open(
            type=NUMBERS,
            object=name,
            severity="critical",
            title=gettext_noop("The invoice numbers of %(sequence)s are not whole"),
            detail=gettext_noop("%(found)s documents instead of %(expected)s. %(entry)s"),
            remedy=gettext_noop("Run manage.py audit. Someone changed the database by hand."),
            url="/billing/audit/",
            params={
                "sequence": name,
                "expected": difference.expected,
                "found": difference.found,
                "entry": difference.entry,
            },
        )


def _say_red(wallet: Wallet, difference: Difference) -> None:
    incidents.open(
        type=INCIDENT,
        object=wallet.slug,
        severity="critical",
        title=gettext_noop("The books of %(account)s do not agree"),
        detail=gettext_noop("%(equation)s: %(found)s instead of %(expected)s. %(entry)s"),
        remedy=gettext_noop(
            "Run manage.py audit. Freeze the account, and rebuild it once SQL is correct."
        ),
        url="/billing/audit/",
        params={
            "account": wallet.slug,
            "equation": difference.equation,
            "expected": difference.expected,
            "found": difference.found,
            "entry": difference.entry,
        },
    )
