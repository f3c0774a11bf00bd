"""The platform's health: one judgement that every page, probe and incident shows.

The process that asks makes it, at that moment, from marks in Redis and SQL: a dead worker is
reported by the processes that are alive. See docs/decisions/0026-one-judgement-of-health.md.
"""

import asyncio
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import structlog
from django.db import DatabaseError, connection
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop, override
from redis.exceptions import RedisError

from poolsite import hotpath, sql_connections
from poolsite.operations.incidents import Trouble, message_ids
from poolsite.operations.models import Incident
from poolsite.operations.registry import CHECKS, Check, Finding

LOG = structlog.get_logger(__name__)
CHECK_SECONDS = 2.0
KEPT_SECONDS = 0.5
# Each check uses one thread, even if it hangs, because it isn't started again then.
MOST_THREADS = 32
PAGE = "/system/"
AWAY: Final = {
    "redis": Trouble(
        "critical",
        gettext_noop("Redis can't be reached"),
        gettext_noop("Calls, queues, permits and holds are refused until it is back."),
        gettext_noop("Start Redis, or check its log and the network."),
        PAGE,
    ),
    "sql": Trouble(
        "critical",
        gettext_noop("The SQL database can't be reached"),
        gettext_noop("Calls in progress continue. No one can log in, and history waits in Redis."),
        gettext_noop("Start the database, or check its log and the network."),
        PAGE,
    ),
}


@dataclass(frozen=True)
class CheckResult:
    """What a check found. since: when this process first saw its trouble, or None."""

    check: Check
    finding: Finding
    since: datetime | None = None

    @property
    def trouble(self) -> Trouble | None:
        """What is wrong, or None."""
        return self.finding.trouble

    @property
    def severity(self) -> str:
        """The severity: critical, warning, or "" if nothing is wrong."""
        return self.trouble.severity if self.trouble else ""

    def sentence(self) -> str:
        """Return what is wrong and what to do, in English for probes, or "" without trouble."""
        if self.trouble is None:
            return ""
        with override("en"):
            found = self.incident(self.trouble)
            return " ".join(f"{text.rstrip('.')}." for text in (found.title, found.remedy) if text)

    def incident(self, trouble: Trouble) -> Incident:
        """Return the trouble as an unsaved incident."""
        kind, name = self.check.key
        return Incident(
            type=kind,
            object=name,
            severity=trouble.severity,
            url=trouble.url,
            params=trouble.params,
            since=self.since or timezone.now(),
            **message_ids(trouble.title, trouble.detail, trouble.remedy),
        )


@dataclass(frozen=True)
class Health:
    """All results, in the order in which the checks were registered, and when they were read."""

    answers: Sequence[CheckResult]
    at: datetime

    @property
    def ready(self) -> bool:
        """Whether this process can take traffic."""
        return not any(answer.check.required and answer.trouble for answer in self.answers)

    def of(self, name: str) -> CheckResult:
        """Return the result of the check with this name. Raise KeyError."""
        return {each.check.name: each for each in self.answers}[name]

    def incidents(self) -> list[Incident]:
        """Return the incidents, unsaved. A trouble that several checks report is listed once."""
        found: list[tuple[Trouble, Incident]] = []
        for answer in self.answers:
            trouble = answer.trouble
            if trouble is not None and all(trouble != known for known, _row in found):
                found.append((trouble, answer.incident(trouble)))
        return [row for _trouble, row in found]


class _Asking:
    """A check that runs in a thread, once at a time: concurrent callers share its result."""

    def __init__(self, check: Check) -> None:
        self.check = check
        self._future: Future[Finding] | None = None
        self._began = self._ended = float("-inf")
        self._since: datetime | None = None

    def begin(self) -> Future[Finding]:
        """Return the run in progress, or start one if the last result is too old."""
        now = time.monotonic()
        over = self._future is None or self._future.done()
        if self._future is None or (over and now - self._ended >= self.check.kept_seconds):
            self._began = now
            self._future = _THREADS.submit(self._ask)
        return self._future

    def _ask(self) -> Finding:
        try:
            return self.check.ask()
        except Exception as error:
            LOG.warning("health.check_failed", check=self.check.name, error=str(error))
            return _failed(self.check, error)
        finally:
            self._ended = time.monotonic()
            connection.close_if_unusable_or_obsolete()

    @property
    def is_asking(self) -> bool:
        """Whether the check is running."""
        return self._future is not None and not self._future.done()

    def doubt(self) -> None:
        """Forget since when there is trouble, as it isn't certain: it starts again when found."""
        self._since = None

    def left_seconds(self) -> float:
        """Return how long the check may still take."""
        return max(0.0, self._began + CHECK_SECONDS - time.monotonic())

    def answer(self, asked: Future[Finding]) -> CheckResult:
        """Return the result of what `begin` returned, or "No response" if it isn't done.

        `asked` is the caller's own future, because another caller may have started a new run
        meanwhile.
        """
        if asked.done():
            finding = asked.result()
        else:
            finding = Finding(_("No response"), trouble=_away(self.check))
        self._since = (self._since or timezone.now()) if finding.trouble else None
        return CheckResult(self.check, finding, self._since)


def _away(check: Check) -> Trouble:
    return check.away or AWAY[check.needs]


def _failed(check: Check, error: Exception) -> Finding:
    if isinstance(error, RedisError | hotpath.HotPathError):
        return Finding(_("Unreachable"), trouble=check.away or AWAY["redis"])
    if isinstance(error, DatabaseError):
        return Finding(_("Unreachable"), trouble=AWAY["sql"])
    broken = Trouble(
        "warning",
        gettext_noop("The %(part)s check failed"),
        gettext_noop("Its status is unknown."),
        gettext_noop("Check the log for health.check_failed."),
        PAGE,
        {"part": check.name},
    )
    return Finding(_("Unknown"), trouble=broken)


_THREADS = ThreadPoolExecutor(
    MOST_THREADS, thread_name_prefix="health", initializer=sql_connections.keep_here
)
_LOCK = threading.Lock()
_asked: dict[str, _Asking] = {}
_known: tuple[float, Health] | None = None


def read() -> Health:
    """Run all checks in parallel, within CHECK_SECONDS. The result is cached for KEPT_SECONDS."""
    if (known := _fresh()) is not None:
        return known
    asked = _begin()
    wait(asked.values(), timeout=_left_seconds(asked))
    return _judged(asked)


async def aread() -> Health:
    """Do the same as `read`, without blocking the event loop or using the threads of pages."""
    if (known := _fresh()) is not None:
        return known
    asked = _begin()
    futures = map(asyncio.wrap_future, asked.values())
    await asyncio.wait(futures, timeout=_left_seconds(asked))
    return _judged(asked)


def in_trouble(*names: str) -> bool:
    """Return whether any of these checks finds trouble. Only they are run."""
    asked = _begin(names)
    wait(asked.values(), timeout=_left_seconds(asked))
    return any(each.answer(future).trouble for each, future in asked.items())


def is_asking() -> bool:
    """Return whether a check is still running, perhaps long after its time limit."""
    with _LOCK:
        return any(each.is_asking for each in _asked.values())


def forget() -> None:
    """Forget all results, so that the next call runs the checks again (tests)."""
    global _known
    with _LOCK:
        _asked.clear()
        _known = None


def _fresh() -> Health | None:
    if _known is None or time.monotonic() - _known[0] >= KEPT_SECONDS:
        return None
    return _known[1]


def _begin(names: Iterable[str] = ()) -> dict[_Asking, Future[Finding]]:
    with _LOCK:
        asked = {}
        for check in [CHECKS[name] for name in names] or CHECKS.values():
            if check.name not in _asked or _asked[check.name].check is not check:
                _asked[check.name] = _Asking(check)
            asking = _asked[check.name]
            asked[asking] = asking.begin()
        return asked


def _left_seconds(asking: Iterable[_Asking]) -> float:
    """Return how long the slowest check may still take, or 0 if all are past their time limit."""
    return max((each.left_seconds() for each in asking), default=0.0)


def _unless_unknown(
    asking: _Asking, answer: CheckResult, answers: Iterable[CheckResult]
) -> CheckResult:
    """Blame Redis for a missing mark while Redis accepts no writes.

    A mark may also be missing shortly afterwards, until its process had time to set it again:
    `doubt` forgets since when it is missing.
    """
    redis = next((each for each in answers if each.check.name == "redis"), None)
    if redis is None or redis.trouble is None or not (answer.trouble and answer.check.by_marks):
        return answer
    asking.doubt()
    return replace(answer, finding=Finding(_("Unknown"), trouble=redis.trouble))


def _judged(asked: Mapping[_Asking, Future[Finding]]) -> Health:
    global _known
    answers = [asking.answer(future) for asking, future in asked.items()]
    pairs = zip(asked, answers, strict=True)
    known = [_unless_unknown(one, answer, answers) for one, answer in pairs]
    judged = Health(known, timezone.now())
    _known = (time.monotonic(), judged)
    return judged
