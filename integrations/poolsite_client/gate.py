"""A gate for holders of permits: `Gate` with blocking calls, `AsyncGate` with asyncio."""

import contextlib
import logging
from collections.abc import AsyncIterator, Iterator
from typing import Unpack

from . import clock, holder, lease
from .clients import AsyncClient, AsyncOptions, Client, Options
from .errors import UnreachableError
from .holder import Permit

logger = logging.getLogger(__name__)
_UNTOLD = "%s: the slot is free at its deadline, the release was not heard: %s"


class Gate(Client):
    """One gate. `url` is the platform's address, `token` an API token that may use the gate."""

    def __init__(self, url: str, token: str, gate: str, **options: Unpack[Options]) -> None:
        super().__init__(url, token, **options)
        self.gate = gate

    def acquire(self, holder_name: str, *, wait_seconds: float = 0.0, weight: int = 1) -> Permit:
        """Acquire a permit of `weight` slots. A holder that has a permit gets the same one.

        Wait up to `wait_seconds`. Raise Refused if no slot was free in that time, RejectedError if
        the holder's permit has another weight.
        """
        return self._runner.run(holder.acquire(self.gate, holder_name, wait_seconds, weight))

    def renew(self, permit: Permit) -> None:
        """Extend the deadline. Raise PermitLost if the permit is no longer held."""
        self._runner.run(holder.renew(permit))

    def release(
        self, permit: Permit, *, ok: bool | None = None, took_ms: int | None = None
    ) -> bool:
        """Give the permit back. Return False if it had ended before.

        `ok` and `took_ms` are input for an adaptive cap.
        """
        return self._runner.run(holder.release(permit, ok=ok, took_ms=took_ms))

    @contextlib.contextmanager
    def permit(
        self, holder_name: str, *, wait_seconds: float = 0.0, weight: int = 1
    ) -> Iterator[Permit]:
        """Hold a permit. It is renewed in time, and released at the end even after an error.

        An error inside the block counts as an error of the external system (adaptive cap). Code
        inside calls `permit.check()` between pieces of work. Raise PermitLost at the end if the
        deadline had passed before.
        """
        permit = self.acquire(holder_name, wait_seconds=wait_seconds, weight=weight)
        began, ok = clock.now(), None
        try:
            with self._runner.holding(permit, lease.keep(permit, lambda: holder.renew(permit))):
                yield permit
            ok = True
        except Exception:
            ok = False
            raise
        finally:
            try:
                self.release(permit, ok=ok, took_ms=int((clock.now() - began) * 1_000))
            except UnreachableError as error:
                logger.warning(_UNTOLD, permit.holder, error)


class AsyncGate(AsyncClient):
    """Like `Gate`, for asyncio."""

    def __init__(self, url: str, token: str, gate: str, **options: Unpack[AsyncOptions]) -> None:
        super().__init__(url, token, **options)
        self.gate = gate

    async def acquire(
        self, holder_name: str, *, wait_seconds: float = 0.0, weight: int = 1
    ) -> Permit:
        """Acquire a permit that counts as `weight` slots; see `Gate.acquire`."""
        return await self._runner.run(holder.acquire(self.gate, holder_name, wait_seconds, weight))

    async def renew(self, permit: Permit) -> None:
        """Extend the deadline. Raise PermitLost if the permit is no longer held."""
        await self._runner.run(holder.renew(permit))

    async def release(
        self, permit: Permit, *, ok: bool | None = None, took_ms: int | None = None
    ) -> bool:
        """Give the permit back. Return False if it had ended before.

        `ok` and `took_ms` are input for an adaptive cap.
        """
        return await self._runner.run(holder.release(permit, ok=ok, took_ms=took_ms))

    @contextlib.asynccontextmanager
    async def permit(
        self, holder_name: str, *, wait_seconds: float = 0.0, weight: int = 1
    ) -> AsyncIterator[Permit]:
        """Hold a permit. It is renewed in time, and released at the end even after an error.

        When the deadline has passed, the code inside is cancelled and PermitLost is raised.
        """
        permit = await self.acquire(holder_name, wait_seconds=wait_seconds, weight=weight)
        began, ok = clock.now(), None
        try:
            async with self._runner.holding(
                permit, lease.keep(permit, lambda: holder.renew(permit))
            ):
                yield permit
            ok = True
        except Exception:
            ok = False
            raise
        finally:
            try:
                await self.release(permit, ok=ok, took_ms=int((clock.now() - began) * 1_000))
            except UnreachableError as error:
                logger.warning(_UNTOLD, permit.holder, error)
