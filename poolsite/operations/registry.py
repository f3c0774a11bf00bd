"""What apps add to the health, to the metrics and to `manage.py doctor`."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from prometheus_client.core import Metric

from poolsite.operations.incidents import Text, Trouble


@dataclass(frozen=True)
class Finding:
    """What a check of health found: a figure as cards show it ("" = none), and what is wrong."""

    value: Text = ""
    unit: Text = ""
    trouble: Trouble | None = None


@dataclass(frozen=True)
class Check:
    """One part of the platform's health. `ask` runs in a thread and may take its time.

    required: this process cannot serve without it, `/readyz` answers 503.
    needs: whose silence it is when the check hangs, `redis` or `sql`. away: the trouble that this
    is; as a rule that of what it needs.
    by_marks: it reads what other processes write into Redis, so it says nothing of them while
    Redis takes no writes.
    incident: type and object of its incident; as a rule `health.<name>` and the name.
    kept_seconds: how long an answer is good, for a check that costs much.
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
        """Type and object of its incident."""
        return self.incident if self.incident[0] else (f"health.{self.name}", self.name)


@dataclass(frozen=True)
class DoctorLine:
    """One line of `manage.py doctor`, in English: what was found, and what to do about it.

    mark: `ok`, `warn`, `fail`, or `skip` for what could not or need not be looked at.
    """

    mark: str
    found: str
    remedy: str = ""


@dataclass(frozen=True)
class Examination:
    """What `manage.py doctor` looks at beside the checks: too slow or too rare for a probe.

    `look` runs in a thread of its own. It may raise: an error of Redis or SQL, or one that nobody
    expected, is a line of its own. seconds: after which it counts as hanging.
    """

    name: str
    look: Callable[[], Iterable[DoctorLine]]
    seconds: float = 10.0


MetricsCollector = Callable[[], Iterable[Metric]]

COLLECTORS: dict[str, MetricsCollector] = {}
CHECKS: dict[str, Check] = {}
EXAMINATIONS: dict[str, Examination] = {}


def register_metrics(name: str, collector: MetricsCollector) -> None:
    """Add Prometheus metrics, collected at each scrape in a thread; figures only, no names of
    numbers or people. A collector that fails is left out of that scrape and logged."""
    COLLECTORS[name] = collector


def register_check(check: Check) -> None:
    """Make it a part of the platform's health; the same name again replaces the first."""
    CHECKS[check.name] = check


def register_examination(examination: Examination) -> None:
    """Let `manage.py doctor` look at it; the same name again replaces the first."""
    EXAMINATIONS[examination.name] = examination
