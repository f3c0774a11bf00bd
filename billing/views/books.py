"""Books: whether every balance change reaches SQL, as checks that people can read."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from billing.selectors import lag
from billing.views.money_audit import TOPIC
from poolsite import access
from poolsite.console.pages import principal_of
from poolsite.console.templatetags.console import figure, span

TURNS = 20
ORDERS_LATE_SECONDS = 60


@dataclass(frozen=True)
class BookCheck:
    """One check: its description, its current result, and what to do if it fails."""

    title: str
    text: str
    is_good: bool
    result: str
    remedy: str


@require_GET
def books_page(request: HttpRequest) -> HttpResponse:
    """Show the checks with their results; the shards and turns are in a collapsed section."""
    access.require(principal_of(request), "billing.books")
    shards = lag.shard_lags()
    recovering = lag.recovering()
    checks = [
        *_of_shards(shards),
        _of_orders(lag.outbox_state()),
        _of_safe_mode(len(recovering)),
    ]
    context = {
        "checks": checks,
        "failed": [check for check in checks if not check.is_good],
        "as_of": timezone.now(),
        "shards": shards,
        "recovering": recovering,
        "last": lag.last_persisted(),
        "turns": lag.recent_runs(TURNS),
        "every_seconds": settings.BILLING_PERSIST_SECONDS,
        "topic": TOPIC,
    }
    return render(request, "billing/persistence.html", context)


def _of_shards(shards: Sequence[lag.ShardLag]) -> list[BookCheck]:
    late = sum(shard.is_late for shard in shards)
    worst = max((shard.lag_seconds for shard in shards), default=0)
    wrong = sum(bool(shard.error or shard.faults) for shard in shards)
    limit = 3 * settings.BILLING_PERSIST_SECONDS + 30
    counted = {"late": figure(late), "all": figure(len(shards)), "wrong": figure(wrong)}
    return [
        BookCheck(
            _("Changes are written to the database"),
            _("Every top-up, hold and charge is written to the database every %(every)s.")
            % {"every": span(settings.BILLING_PERSIST_SECONDS)},
            not late,
            _("longest wait in the last run: %(span)s") % {"span": span(worst)}
            if not late
            else _("%(late)s of %(all)s shards not written for %(span)s")
            % {**counted, "span": span(limit)},
            _("Start the workers. Nothing is lost: changes wait in Redis."),
        ),
        BookCheck(
            _("The last run had no errors"),
            _("Each shard is a part of the accounts that one worker writes at a time."),
            not wrong,
            _("no errors") if not wrong else _("%(wrong)s of %(all)s shards with errors") % counted,
            _("Open the technical details below and read the error of the shard."),
        ),
    ]


def _of_orders(outbox: lag.OutboxState) -> BookCheck:
    waiting = ngettext("%(n)s waiting", "%(n)s waiting", outbox.waiting)
    result = waiting % {"n": figure(outbox.waiting)}
    if outbox.waiting:
        result += " · " + _("oldest %(span)s") % {"span": span(outbox.oldest_seconds)}
    return BookCheck(
        _("Payments and adjustments reach the balance"),
        _("Each confirmed top-up and approved adjustment is applied to the live balance."),
        outbox.oldest_seconds < ORDERS_LATE_SECONDS,
        result,
        _("Check that Redis is up. A cash refund waits until the balance covers it."),
    )


def _of_safe_mode(count: int) -> BookCheck:
    return BookCheck(
        _("Every account accepts holds"),
        _("After Redis loses data, an account takes no holds until its balance is rebuilt."),
        not count,
        ngettext("%(n)s account in safe mode", "%(n)s accounts in safe mode", count)
        % {"n": figure(count)},
        _("Rebuilding starts automatically. If it takes long, rebuild on the account's page."),
    )
