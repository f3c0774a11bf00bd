"""The platform's health: one judgement, which every page, probe and incident shows.

It is made when somebody asks, by whoever asks, from marks in Redis and SQL: a dead worker is
reported by the living. See docs/decisions/0026-one-judgement-of-health.md.
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
# One per check at most: a check that hangs is not begun again, so it takes no other's thread.
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
    """What a check found. since: when this process first saw its trouble; None = it has none."""

    check: Check
    finding: Finding
    since: datetime | None = None

    @property
    def trouble(self) -> Trouble | None:
        """What is wrong; None = nothing."""
        return self.finding.trouble

    @property
    def severity(self) -> str:
        """How bad it is: critical, warning, or "" while nothing is wrong."""
        return self.trouble.severity if self.trouble else ""

    def sentence(self) -> str:
        """What is wrong and what to do, in English, for probes; "" = nothing is."""
        if self.trouble is None:
            return ""
        with override("en"):
            found = self.incident(self.trouble)
            return " ".join(f"{text.rstrip('.')}." for text in (found.title, found.remedy) if text)

    def incident(self, trouble: Trouble) -> Incident:
        """Its trouble as an incident that is not saved."""
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
    """All answers, in the order in which the checks were registered, and when they were read."""

    answers: Sequence[CheckResult]
    at: datetime

    @property
    def ready(self) -> bool:
        """Whether traffic may be sent to this process."""
        return not any(answer.check.required and answer.trouble for answer in self.answers)

    def of(self, name: str) -> CheckResult:
        """The answer of a check by its name; KeyError."""
        return {each.check.name: each for each in self.answers}[name]

    def incidents(self) -> list[Incident]:
        """Each trouble once, not saved, though several checks may have failed by the same."""
        found: list[tuple[Trouble, Incident]] = []
        for answer in self.answers:
            trouble = answer.trouble
            if trouble is not None and all(trouble != known for known, _row in found):
                found.append((trouble, answer.incident(trouble)))
        return [row for _trouble, row in found]


class _Asking:
    """A check, asked in a thread by one caller at a time: who comes meanwhile waits for that."""

    def __init__(self, check: Check) -> None:
        self.check = check
        self._future: Future[Finding] | None = None
        self._began = self._ended = float("-inf")
        self._since: datetime | None = None

    def begin(self) -> Future[Finding]:
        """The question that is open, or a new one when the last answer is no longer good."""
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
        """Whether a question is open."""
        return self._future is not None and not self._future.done()

    def doubt(self) -> None:
        """What it found is not known to be so: a trouble begins anew when it is found again."""
        self._since = None

    def left_seconds(self) -> float:
        """How long it may still take."""
        return max(0.0, self._began + CHECK_SECONDS - time.monotonic())

    def answer(self, asked: Future[Finding]) -> CheckResult:
        """What `begin` gave has found, or that it has not answered in time.

        `asked` is the caller's own: another caller may have begun a new question meanwhile.
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
    """Judge all parts side by side, within CHECK_SECONDS; a judgement is kept for KEPT_SECONDS."""
    if (known := _fresh()) is not None:
        return known
    asked = _begin()
    wait(asked.values(), timeout=_left_seconds(asked))
    return _judged(asked)


async def aread() -> Health:
    """Do as `read` without blocking the loop, nor on the threads that serve pages."""
    if (known := _fresh()) is not None:
        return known
    asked = _begin()
    futures = map(asyncio.wrap_future, asked.values())
    await asyncio.wait(futures, timeout=_left_seconds(asked))
    return _judged(asked)


def in_trouble(*names: str) -> bool:
    """Whether any of these checks finds a trouble, asking them alone."""
    asked = _begin(names)
    wait(asked.values(), timeout=_left_seconds(asked))
    return any(each.answer(future).trouble for each, future in asked.items())


def is_asking() -> bool:
    """Whether a check is still waited for, long after its time perhaps."""
    with _LOCK:
        return any(each.is_asking for each in _asked.values())


def forget() -> None:
    """Judge afresh at the next question (tests)."""
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
    """Until the last check's time is over; 0 when only such are open as have had theirs."""
    return max((each.left_seconds() for each in asking), default=0.0)


def _unless_unknown(
    asking: _Asking, answer: CheckResult, answers: Iterable[CheckResult]
) -> CheckResult:
    """A missing mark proves nothing while Redis takes none: the trouble is Redis'.

    Nor does it just after, until those who live had time to set it again.
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
