"""Closes open sockets when their credential ends or loses rights."""

import asyncio
import inspect
import logging
import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from threading import Lock

from channels.db import database_sync_to_async

from poolsite.access.principal import Principal
from poolsite.access.rights.cache import EXECUTOR, load
from poolsite.access.rights.hub import HUB
from poolsite.access.rights.sharing import LookUps, shared
from poolsite.access.rights.versions import version_of
from poolsite.per_loop import PerLoop

ENDED, LOST_RIGHTS, TRY_AGAIN = 4401, 4403, 1013
RECHECK_SECONDS = 300  # from SQL, whatever the messages; spread over the sockets
LONGEST_TIMER_SECONDS = 24 * 3600

OnRevoked = Callable[[int], Awaitable[None] | None]
log = logging.getLogger("poolsite.access")


class Watch:
    """Watches the principal of one socket.

    `principal` is the newest version: added rights count at once. `on_revoked(4401)` is called when
    the credential ended (log-out, revocation, expiry, deactivation), `on_revoked(4403)` when rights
    were taken away, and `on_revoked(1013)` when this can't be determined. It is called once, in the
    event loop that created the watch. `close()` ends the watch.
    """

    def __init__(self, principal: Principal, on_revoked: OnRevoked) -> None:
        self.principal = principal
        self._on_revoked = on_revoked
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._again = False
        self.closed = False

    def close(self) -> None:
        """Stop watching; safe to call twice."""
        self.closed = True
        _forget(self)
        if self._timer is not None:
            self._timer.cancel()
        # A task that is calling on_revoked may run this close(): that task ends on its own.
        if self._task is not None and self._task is not _current_task():
            self._task.cancel()

    def wake(self) -> None:
        """Check again, from any thread."""
        try:
            self._loop.call_soon_threadsafe(self.recheck)
        except RuntimeError:  # the loop has ended, and its sockets with it
            self.closed = True
            _forget(self)

    def recheck(self) -> None:
        """Check again, in the watch's own loop."""
        if self.closed:
            return
        if self._task is not None and not self._task.done():
            self._again = True  # the current read may be older than the message
            return
        self._task = self._loop.create_task(self._recheck())

    async def _recheck(self) -> None:
        while not self.closed:
            self._again = False
            try:
                now = await _load_soon(self.principal)
            except Exception:
                log.exception("rights: cannot tell whether a socket may stay open")
                await self._revoke(TRY_AGAIN)
                return
            if not now.is_authenticated:
                await self._revoke(ENDED)
            elif not self.principal.same_rights(now):
                await self._revoke(LOST_RIGHTS)
            elif not self._again:
                self.principal = now
                self._set_timer()
                return

    async def _revoke(self, code: int) -> None:
        if self.closed:
            return
        self.close()
        answer = self._on_revoked(code)
        if inspect.isawaitable(answer):
            await answer

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        seconds = RECHECK_SECONDS * random.uniform(0.5, 1.0)  # noqa: S311  spread, not secrecy
        left = self.principal.seconds_left
        if left is not None:
            seconds = min(seconds, left)
        self._timer = self._loop.call_later(min(seconds, LONGEST_TIMER_SECONDS), self.recheck)


def _current_task() -> "asyncio.Task[None] | None":
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None


# Of each loop: the reads that wait for a thread.
_waiting: PerLoop[LookUps] = PerLoop(dict)


async def _load_soon(principal: Principal) -> Principal:
    """Return the principal as of now or later: one read for all callers that come before it.

    A person's many sockets call this at the same moment: when a server has come back, and when
    rights have changed.
    """
    waiting = _waiting()
    return await shared(waiting, principal.credential, lambda: _load_in_thread(principal, waiting))


def _load(principal: Principal, waiting: LookUps) -> Principal:
    """Return the current principal, with a version that is read before SQL and so never newer."""
    waiting.pop(principal.credential, None)  # later callers are not served by this read
    version = version_of(principal.kind, principal.id)
    return replace(load(principal.credential), rights_version=version)


_load_in_thread = database_sync_to_async(_load, thread_sensitive=False, executor=EXECUTOR)
_watches: dict[tuple[str, str], set[Watch]] = {}
_watches_lock = Lock()


def watch(principal: Principal, on_revoked: OnRevoked) -> Watch:
    """Have `on_revoked(code)` called once when this principal's credential or rights end.

    Call this in an event loop. It checks at once, so that no change is missed between the look-up
    that let the socket in and this call. For an anonymous principal `on_revoked` is never called.
    """
    HUB.ensure_started()
    eye = Watch(principal, on_revoked)
    if principal.kind != "anonymous":
        with _watches_lock:
            _watches.setdefault((principal.kind, principal.id), set()).add(eye)
        eye.recheck()
    return eye


def watched() -> int:
    """Return the number of sockets that this process watches."""
    with _watches_lock:
        return sum(len(eyes) for eyes in _watches.values())


def _forget(eye: Watch) -> None:
    key = (eye.principal.kind, eye.principal.id)
    with _watches_lock:
        eyes = _watches.get(key)
        if eyes is not None:
            eyes.discard(eye)
            if not eyes:
                del _watches[key]


def _heard(kind: str, identity: str) -> None:
    with _watches_lock:
        if kind:
            eyes = list(_watches.get((kind, identity), ()))
        else:
            eyes = [eye for group in _watches.values() for eye in group]
    for eye in eyes:
        eye.wake()


HUB.subscribe(_heard)
