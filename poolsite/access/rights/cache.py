"""The principals that this process caches, for CACHE_SECONDS at most, while it is notified."""

import time
from collections import OrderedDict
from threading import Lock

from channels.db import database_sync_to_async

from poolsite.access import lookup
from poolsite.access.principal import ANONYMOUS, Principal
from poolsite.access.rights.hub import HUB
from poolsite.access.rights.sharing import LookUps, begun, shared
from poolsite.access.rights.versions import version_of
from poolsite.per_loop import PerLoop
from poolsite.sql_connections import sql_threads

CACHE_SECONDS = 30
# A principal that is cached this long is read again in the background. SQL may then be down for the
# rest of the time before anyone is refused for it.
REREAD_SECONDS = 15
CACHE_ENTRIES = 20_000
LOOKUP_THREADS = 4
LOOKUP_TRIES = 3

# Bounded: look-ups of a flood of unknown tokens queue here and leave SQL to other work.
EXECUTOR = sql_threads(LOOKUP_THREADS, "access")


class PrincipalCache:
    """Credential → principal. Thread-safe; serves nothing while the subscription is down."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._entries: OrderedDict[str, tuple[float, Principal]] = OrderedDict()
        self._by_principal: dict[tuple[str, str], set[str]] = {}

    def get(self, credential: str) -> Principal | None:
        """Return the cached principal if it may be served now, else None."""
        entry = self._entries.get(credential)
        if entry is None or not HUB.is_listening():
            return None
        until, principal = entry
        if until <= time.monotonic() or principal.is_expired:
            return None
        return principal

    def is_old(self, credential: str) -> bool:
        """Whether the cached principal should be read again."""
        entry = self._entries.get(credential)
        left = CACHE_SECONDS - REREAD_SECONDS
        return entry is not None and entry[0] - time.monotonic() <= left

    def put(self, credential: str, principal: Principal, epoch: int) -> None:
        """Cache a principal, unless rights changed since `epoch`: SQL may have been read before."""
        with self._lock:
            if HUB.epoch != epoch or not HUB.is_listening():
                return
            self._entries[credential] = (time.monotonic() + CACHE_SECONDS, principal)
            self._entries.move_to_end(credential)
            self._by_principal.setdefault((principal.kind, principal.id), set()).add(credential)
            while len(self._entries) > CACHE_ENTRIES:
                self._remove(next(iter(self._entries)))

    def forget(self, credential: str) -> None:
        """Remove a credential, which is no longer valid."""
        with self._lock:
            self._remove(credential)

    def _remove(self, credential: str) -> None:
        _, gone = self._entries.pop(credential, (0.0, ANONYMOUS))
        mine = self._by_principal.get((gone.kind, gone.id), set())
        mine.discard(credential)
        if not mine:
            self._by_principal.pop((gone.kind, gone.id), None)

    def drop(self, kind: str, identity: str) -> None:
        """Remove one principal, or everything for ("", "")."""
        with self._lock:
            if not kind:
                self._entries.clear()
                self._by_principal.clear()
                return
            for credential in self._by_principal.pop((kind, identity), ()):
                self._entries.pop(credential, None)


CACHE = PrincipalCache()
HUB.subscribe(CACHE.drop)


def load(credential: str, address: str = "") -> Principal:
    """Read a credential's principal from SQL (and, for visitors, from Redis). Blocks."""
    version = 0
    if credential.startswith(lookup.VISITOR):
        visit = lookup.visit_of(credential)
        version = version_of("visitor", visit) if visit else 0
    return lookup.of_credential(credential, address=address, version=version)


_load_in_thread = database_sync_to_async(load, thread_sensitive=False, executor=EXECUTOR)
_running: PerLoop[LookUps] = PerLoop(dict)


async def principal_of_credential(credential: str, address: str = "") -> Principal:
    """Return the principal of a credential, cached or read from SQL once for all callers.

    Raise the errors of SQL or Redis: without an answer no one is let in.
    """
    HUB.ensure_started()
    remembered = CACHE.get(credential)
    if remembered is not None:
        if CACHE.is_old(credential):
            begun(_running(), credential, lambda: _look_up(credential, address))
        return remembered
    return await shared(_running(), credential, lambda: _look_up(credential, address))


async def _look_up(credential: str, address: str) -> Principal:
    """Read the principal, and read it again if any rights changed meanwhile."""
    principal = ANONYMOUS
    for _ in range(LOOKUP_TRIES):
        epoch = HUB.epoch
        principal = await _load_in_thread(credential, address)
        if epoch == HUB.epoch:
            if principal.is_authenticated:
                CACHE.put(credential, principal, epoch)
            else:
                CACHE.forget(credential)
            break
    return principal
