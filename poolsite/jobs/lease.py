"""The only door to the lease script: one holder at a time, with a fencing number."""

import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from poolsite import hotpath

SCRIPTS = hotpath.load_folder("jobs", Path(__file__).parent / "lua")
LEASE_SECONDS = 15.0  # a holder that dies is followed after this
RENEW_SECONDS = 4.0


@dataclass
class Lease:
    """A hold on one thing. `fence` grows with each hold; `held` turns false when it was lost."""

    tag: str
    holder: str
    fence: int
    lost: threading.Event = field(default_factory=threading.Event)

    @property
    def held(self) -> bool:
        """Whether the last renewal went through; a paused process learns it when it goes on."""
        return not self.lost.is_set()


_current: ContextVar[Lease | None] = ContextVar("lease", default=None)


def current() -> Lease | None:
    """Return the lease under which this sweep runs, for its fencing number; None outside."""
    return _current.get()


def command(verb: str, tag: str, holder: str, lease_seconds: float) -> hotpath.Command[list[str]]:
    """One step of the lease; safe to repeat, because the holder's name is its operation id."""
    script = SCRIPTS["lease"]
    arguments = (verb, holder, round(lease_seconds * 1_000_000))
    return hotpath.Command(script, script.keys_of(tag), arguments, _same, holder)


def _same(reply: list[str]) -> list[str]:
    return reply


@contextmanager
def hold(tag: str, *, lease_seconds: float = LEASE_SECONDS) -> Iterator[Lease | None]:
    """Hold `{…}` while the block runs, renewed by a thread; None = somebody else holds it."""
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
            continue  # the lease runs out by itself if Redis stays away
        if reply[0] != "1":
            lease.lost.set()
            return


def _quietly(step: Callable[[], object]) -> None:
    """A hold that cannot be given back runs out by itself."""
    try:
        step()
    except hotpath.HotPathError:
        return
