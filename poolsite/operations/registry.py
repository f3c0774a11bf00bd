"""What apps register for the health checks, the metrics and `manage.py doctor`."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from prometheus_client.core import Metric

from poolsite.operations.incidents import Text, Trouble


@dataclass(frozen=True)
class Finding:
    """What a health check found: a figure for cards ("" for none), and the trouble, if any."""

    value: Text = ""
    unit: Text = ""
    trouble: Trouble | None = None


@dataclass(frozen=True)
class Check:
    """One part of the platform's health. `ask` runs in a thread and may be slow.

    required: without it this process can't serve, and `/readyz` returns 503. needs: the server that
    is blamed if the check hangs, `redis` or `sql`. away: the trouble to report then, by default
    that of the server. by_marks: whether it reads marks that other processes write into Redis. Its
    result is unknown while Redis accepts no writes. incident: the type and object of its incident,
    by default `health.<name>` and the name. kept_seconds: how long a result is valid, for an
    expensive check.
    """

    name: str
    label: Text
    ask: Callable[[], Finding]
    required: bool = False
    needs: str = "redis"
    by_marks: bool = False
    incident: tuple[str, str] = ("", "")
    kept_seconds: float = 0.0
    away: Trouble | None = None

    @property
    def key(self) -> tuple[str, str]:
        """The type and object of the check's incident."""
        return self.incident if self.incident[0] else (f"health.{self.name}", self.name)


@dataclass(frozen=True)
class DoctorLine:
    """A line of `manage.py doctor`, in English: what was found, and what to do about it.

    mark: `ok`, `warn`, `fail`, or `skip` for a check that could not or need not be made.
    """

    mark: str
    found: str
    remedy: str = ""


@dataclass(frozen=True)
class Examination:
    """A check of `manage.py doctor` that is too slow or too rare for a probe.

    `look` runs in its own thread. It may raise: an error of Redis or SQL, or an unexpected one,
    becomes a line of its own. seconds: the time after which it counts as hanging.
    """

    name: str
    look: Callable[[], Iterable[DoctorLine]]
    seconds: float = 10.0


MetricsCollector = Callable[[], Iterable[Metric]]

COLLECTORS: dict[str, MetricsCollector] = {}
CHECKS: dict[str, Check] = {}
EXAMINATIONS: dict[str, Examination] = {}


def register_metrics(name: str, collector: MetricsCollector) -> None:
    """Register a collector of Prometheus metrics. It runs in a thread at each scrape.

    Metrics have figures only, and no names of numbers or people. A collector that fails is left out
    of that scrape and logged.
    """
    COLLECTORS[name] = collector


def register_check(check: Check) -> None:
    """Add a check to the platform's health. It replaces an earlier check of the same name."""
    CHECKS[check.name] = check


def register_examination(examination: Examination) -> None:
    """Add an examination to `manage.py doctor`. It replaces an earlier one of the same name."""
    EXAMINATIONS[examination.name] = examination
