"""A permit or task that a gate lends for a limited time: its end, and its renewal."""

from collections.abc import Callable
from dataclasses import dataclass, field

from . import clock
from .errors import PermitLost, RejectedError, UnreachableError
from .retrying import TRIES, pause_seconds
from .steps import Answer, Pause, Steps

RENEW_SHARE = 1 / 3  # renew after this share of the time


@dataclass(kw_only=True)
class Lease:
    """The common part of permits and tasks.

    `deadline` is the gate's deadline, in µs since 1970. `signed` is the text that the external
    system checks, or "" if the gate has no signing key. Use `remaining_seconds`, not the deadline
    and a wall clock. A renewal changes all three in place.
    """

    token: int
    deadline: int
    signed: str
    asked_at: float
    ends_at: float
    lost: str = ""
    on_change: Callable[[], None] | None = field(default=None, repr=False, compare=False)

    @property
    def remaining_seconds(self) -> float:
        """How many seconds it certainly lasts. 0 if it has ended."""
        return 0.0 if self.lost else max(0.0, self.ends_at - clock.now())

    def check(self) -> None:
        """Raise PermitLost if it has ended. Call this between pieces of work."""
        if not self.remaining_seconds:
            raise PermitLost(self.lost or "past its deadline")

    def renewed(self, terms: "Terms | Lease") -> None:
        """Adopt the deadline of the gate's newest answer."""
        self.deadline, self.signed = terms.deadline, terms.signed
        self.asked_at = terms.asked_at
        self.ends_at = max(self.ends_at, terms.ends_at)
        self._changed()

    def lose(self, why: str) -> None:
        """Note that the gate reports it as not held."""
        self.lost = why
        self._changed()

    def _changed(self) -> None:
        if self.on_change is not None:
            self.on_change()


@dataclass(frozen=True, slots=True)
class Terms:
    """The part of an answer that describes a permit."""

    token: int
    deadline: int
    signed: str
    asked_at: float
    ends_at: float


def terms_of(answer: Answer) -> Terms:
    """Read an answer that contains a permit.

    Its remaining time counts from when the request was sent, plus the time that the request waited
    according to the gate.
    """
    body = answer.body
    asked_at = clock.ends_at(answer.asked_at, int(body.get("waited_ms") or 0))
    return Terms(
        int(body["token"]),
        int(body["deadline"]),
        str(body.get("permit") or ""),
        asked_at,
        clock.ends_at(asked_at, int(body["remaining_ms"])),
    )


def keep(lease: Lease, renew: Callable[[], Steps[None]]) -> Steps[None]:
    """Renew in time, again and again. This ends only by raising PermitLost or RejectedError."""
    while True:
        whole = max(0.0, lease.ends_at - lease.asked_at)
        yield Pause(max(0.0, lease.asked_at + whole * RENEW_SHARE - clock.now()))
        lease.check()
        before = lease.ends_at
        try:
            yield from renew()
        except UnreachableError:
            lease.check()
            yield Pause(min(pause_seconds(TRIES), lease.remaining_seconds))  # time is left
            continue
        except RejectedError as error:
            lease.lose(str(error))
            raise
        if lease.ends_at - before < whole / 10:  # near the longest time: no more to gain
            yield Pause(min(lease.remaining_seconds, max(1.0, whole * RENEW_SHARE)))
