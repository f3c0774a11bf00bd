"""The interface to the lease script: one holder at a time, with a fencing number."""

import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from poolsite import hotpath

SCRIPTS = hotpath.load_folder("jobs", Path(__file__).parent / "lua")
LEASE_SECONDS = 15.0  # after this, the lease of a dead holder is free
RENEW_SECONDS = 4.0


@dataclass
class Lease:
    """A hold on a resource. `fence` grows with each hold. `held` becomes false when it is lost."""

    tag: str
    holder: str
    fence: int
    lost: threading.Event = field(default_factory=threading.Event)

    @property
    def held(self) -> bool:
        """Whether the last renewal succeeded.

        A paused process only learns of a loss when it continues.
        """
        return not self.lost.is_set()


_current: ContextVar[Lease | None] = ContextVar("lease", default=None)


def current() -> Lease | None:
    """Return the lease under which the current sweep runs, for its fencing number, or None."""
    return _current.get()


def command(verb: str, tag: str, holder: str, lease_seconds: float) -> hotpath.Command[list[str]]:
    """Return one step of the lease. It is safe to repeat: the holder's name is its operation ID."""
    script = SCRIPTS["lease"]
    arguments = (verb, holder, round(lease_seconds * 1_000_000))
    return hotpath.Command(script, script.keys_of(tag), arguments, _same, holder)


def _same(reply: list[str]) -> list[str]:
    return reply


@contextmanager
def hold(tag: str, *, lease_seconds: float = LEASE_SECONDS) -> Iterator[Lease | None]:
    """Hold `{…}` while the block runs, renewed by a thread. Yield None if another holder has it."""
    holder = secrets.token_hex(8)
    reply = hotpath.run(command("acquire", tag, holder, lease_seconds))
    if reply[0] != "1":
        yield None
        return
    lease = Lease(tag, holder, int(reply[1]))
    stop = threading.Event()
    renewer = threading.Thread(
        target=_renew, args=(lease, stop, lease_seconds), daemon=True, name=f"lease {tag}"
    )
    renewer.start()
    token = _current.set(lease)
    try:
        yield lease
    finally:
        _current.reset(token)
        stop.set()
        renewer.join()
        _quietly(lambda: hotpath.run(command("release", tag, holder, lease_seconds)))


def _renew(lease: Lease, stop: threading.Event, lease_seconds: float) -> None:
    every = min(RENEW_SECONDS, lease_seconds / 3)
    while not stop.wait(every):
        try:
            reply = hotpath.run(command("renew", lease.tag, lease.holder, lease_seconds))
        except hotpath.HotPathError:
            continue  # the lease expires automatically if Redis stays away
        if reply[0] != "1":
            lease.lost.set()
            return


def _quietly(step: Callable[[], object]) -> None:
    """Run a release. If it fails, the hold expires automatically."""
    try:
        step()
    except hotpath.HotPathError:
        return
