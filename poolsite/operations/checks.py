"""The health checks that every installation has."""

from dataclasses import replace

from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from poolsite import hotpath, timers
from poolsite.history import refusals
from poolsite.history import selectors as history_selectors
from poolsite.jobs import queues, sweeping
from poolsite.operations import clock
from poolsite.operations.health import PAGE
from poolsite.operations.incidents import Text, Trouble
from poolsite.operations.registry import Check, Finding, register_check

UP = _("Up")
SILENT = _("Not responding")
REFUSES = gettext_noop("Redis refuses writes")
REFUSED = gettext_noop("Calls, queues, permits and holds are refused: %(reason)s")
# The remedy for each refusal of Redis, by the refusal's first word.
REMEDIES = {
    "MISCONF": gettext_noop(
        "Free space on the disk that holds its files, and check its log. Redis then accepts "
        "writes again automatically."
    ),
    "OOM": gettext_noop(
        "Raise its memory limit (maxmemory). Redis then accepts writes again automatically."
    ),
    "READONLY": gettext_noop("This is a replica. Configure the address of the primary."),
    "NOREPLICAS": gettext_noop("Restore its replicas (min-replicas-to-write)."),
}
OTHER_REMEDY = gettext_noop("Check its log. It must be a primary that accepts writes.")
HISTORY_KEPT_SECONDS = 5.0  # the check reads a mark of every aggregate
HISTORY_WARNS_PERCENT = 80
_migrated = False


def register() -> None:
    """Register the checks. AppConfig.ready() calls this once.

    Cards and /readyz show them in this order.
    """
    register_check(Check("redis", _("Redis"), redis, required=True))
    register_check(Check("sql", _("SQL"), sql, required=True, needs="sql"))
    register_check(Check("migrations", _("Migrations"), migrations, required=True, needs="sql"))
    register_check(Check("timers", _("Timers"), check_timers, by_marks=True))
    register_check(Check("workers", _("Workers"), workers, by_marks=True))
    register_check(Check("beat", _("Scheduler"), beat, by_marks=True))
    register_check(Check("web", _("Web"), web, by_marks=True))
    register_check(Check("clock", _("Clock"), check_clock, incident=clock.INCIDENT))
    register_check(
        Check(
            *("history", _("Not yet in SQL"), history),
            needs="sql",
            by_marks=True,
            kept_seconds=HISTORY_KEPT_SECONDS,
        )
    )


def redis() -> Finding:
    """Check that every master of the hot path accepts a write and returns it."""
    return takes_writes(hotpath.default())


def takes_writes(
    path: hotpath.HotPath,
    title: Text = REFUSES,
    detail: Text = REFUSED,
    **params: object,
) -> Finding:
    """Check that a Redis accepts writes. Raise Unavailable if a master does not answer.

    title, detail: the problem's texts if it refuses writes; `params` and `reason` fill them.
    """
    refusals = path.write_refusals()
    if not refusals:
        return Finding(UP)
    node, reason = next(iter(refusals.items()))
    return _wrong(
        _("Refuses writes"),
        title,
        detail,
        REMEDIES.get(reason.partition(" ")[0], OTHER_REMEDY),
        reason=f"{node} {reason}".strip()[:200],
        **params,
    )


def sql() -> Finding:
    """Check that SQL answers a query."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return Finding(UP)


def migrations() -> Finding:
    """Check that every migration of this release is applied.

    Once they all are, this process doesn't check again.
    """
    global _migrated
    if not _migrated:
        executor = MigrationExecutor(connection)
        missing = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
        if missing:
            return _wrong(
                _("Missing"),
                gettext_noop("Migrations not applied: %(count)s"),
                gettext_noop("Pages that use the new tables fail."),
                gettext_noop("Run: manage.py migrate"),
                count=missing,
            )
        _migrated = True
    return Finding()


def check_timers() -> Finding:
    """Check that every shard is served by a timers process."""
    found = timers.read_state()
    paused = next((mark.paused for mark in found.processes if mark.paused), "")
    late = gettext_noop("Expired leases and permits end only when they are next requested.")
    if not found.processes:
        return _wrong(
            SILENT,
            gettext_noop("No timers are running"),
            late,
            gettext_noop("Start: manage.py timers"),
        )
    if found.unheld:
        return _wrong(
            _("Incomplete"),
            gettext_noop("No timers process serves %(count)s of %(all)s shards"),
            late,
            gettext_noop("Check the log of manage.py timers."),
            count=len(found.unheld),
            all=timers.SHARDS,
        )
    if paused:
        return _wrong(
            _("Paused"),
            gettext_noop("Timers are paused"),
            gettext_noop("They wait until the clock is consistent again: %(reason)s"),
            gettext_noop("Correct the clock of the Redis server."),
            reason=paused,
        )
    return Finding(str(len(found.processes)))


def workers() -> Finding:
    """Check that every queue has a worker that responded recently, and that no run was too late."""
    states = queues.queues()
    names = {name for state in states for name in state.workers}
    if not names:
        return _wrong(
            "0",
            gettext_noop("No workers are running"),
            gettext_noop("Calls continue. Imports, campaigns, emails and history are waiting."),
            gettext_noop("Start: celery -A poolsite worker"),
        )
    idle = [state.name for state in states if not state.workers]
    if idle:
        return _wrong(
            str(len(names)),
            gettext_noop("No worker on queue %(queues)s"),
            gettext_noop("Work sent to it is waiting."),
            gettext_noop("Start: celery -A poolsite worker -Q %(queues)s"),
            queues=",".join(idle),
        )
    expired = sum(state.expired_recently for state in states)
    if not expired:
        return Finding(str(len(names)))
    late = Trouble(
        "warning",
        gettext_noop("Workers are falling behind"),
        gettext_noop("Late runs skipped in the last 5 minutes: %(count)s."),
        gettext_noop("Start more workers, or find out what keeps them busy."),
        PAGE,
        {"count": expired},
    )
    return Finding(str(len(names)), trouble=late)


def beat() -> Finding:
    """Check that the scheduler ticked recently."""
    if sweeping.beat_alive():
        return Finding(UP)
    return _wrong(
        SILENT,
        gettext_noop("The scheduler is not running"),
        gettext_noop("Calls continue. Reports, books and history are not updated."),
        gettext_noop("Start: celery -A poolsite beat"),
    )


def web() -> Finding:
    """Check that a web process reported recently. Processes of other types read this."""
    if hotpath.client().exists(timers.WEB_KEY):
        return Finding()
    return _wrong(
        SILENT,
        gettext_noop("No web processes are running"),
        gettext_noop(
            "Web and API requests are not served. Calls continue on switches that connect "
            "directly to Redis."
        ),
        gettext_noop("Start: uvicorn poolsite.asgi:application"),
    )


def check_clock() -> Finding:
    """Check that Redis' clock keeps this process' pace and that it has paused nothing."""
    clock.MONITOR.check()
    reason = sweeping.paused_reason()
    if not reason:
        return Finding()
    return _wrong(
        _("Unverified"),
        gettext_noop("Redis' clock jumped"),
        gettext_noop("Sweeps of money, leases and permits are paused: %(reason)s"),
        gettext_noop("Correct the clock, or confirm the new time on this page."),
        reason=reason,
    )


def history() -> Finding:
    """Check how many entries are not yet in SQL, whether it refuses them, and how full streams are.

    This check finds a full disk: SQL still answers queries then.
    """
    lags = history_selectors.lags()
    backlog = sum(lag.backlog for lag in lags)
    fullest = max(lags, key=lambda lag: lag.percent, default=None)
    value, unit = f"{backlog:,}", _("entries")
    if refused := refusals.reason():
        full = _wrong(
            value,
            gettext_noop("SQL refuses writes"),
            gettext_noop(
                "History and books are waiting in Redis, and forms can't be saved: %(reason)s"
            ),
            gettext_noop(
                "Free disk space for the database, or allow it to write. Waiting entries are "
                "then written."
            ),
            reason=refused,
        )
        return replace(full, unit=unit)
    if fullest is None or fullest.percent < HISTORY_WARNS_PERCENT:
        return Finding(value, unit)
    trouble = Trouble(
        "critical" if fullest.percent >= 100 else "warning",
        gettext_noop("History is waiting for SQL"),
        gettext_noop("%(tag)s uses %(percent)s%% of its limit in Redis."),
        gettext_noop(
            "Check the SQL database and the workers. At 100%% the oldest entries are dropped."
        ),
        PAGE,
        {"tag": fullest.tag.strip("{}"), "percent": min(int(fullest.percent), 100)},
    )
    return Finding(value, unit, trouble)


def _wrong(value: Text, title: Text, detail: Text, remedy: Text, **params: object) -> Finding:
    return Finding(value, trouble=Trouble("critical", title, detail, remedy, PAGE, params))


def forget() -> None:
    """Check the migrations again (tests)."""
    global _migrated
    _migrated = False
