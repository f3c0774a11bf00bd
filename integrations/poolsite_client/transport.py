"""Runs the protocol's steps over httpx: once with blocking calls, once with asyncio."""

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, TypeVar

import httpx

from .errors import PermitLost, PoolsiteError
from .lease import Lease
from .steps import Ask, NoReply, Pause, Reply, Steps

logger = logging.getLogger(__name__)

T = TypeVar("T")
TIMEOUT_SECONDS = 10.0


class Stopped(Exception):  # noqa: N818  not a fault
    """The caller no longer wants to run the steps."""


def _reply(response: httpx.Response) -> Reply | NoReply:
    try:
        body = response.json()
    except ValueError:
        body = None
    if not isinstance(body, dict) and not (response.is_success and isinstance(body, list)):
        if response.is_success:
            return NoReply("an answer that is not JSON as documented")
        body = {}
    named = response.headers.get("Retry-After", "")
    seconds = float(named) if named.isascii() and named.isdecimal() and len(named) < 9 else None
    return Reply(response.status_code, body, seconds)


class _Runner:
    """The common part of both runners."""

    def __init__(self, timeout_seconds: float) -> None:
        self._timeout_seconds = timeout_seconds

    def _options(self, step: Ask) -> dict[str, Any]:
        options: dict[str, Any] = {"timeout": self._timeout_seconds + step.wait_seconds}
        if step.body is not None:
            options["json"] = step.body
        if step.key:
            options["headers"] = {"Idempotency-Key": step.key}
        return options


class Blocking(_Runner):
    """Runs the steps with blocking calls. Several threads can share it."""

    def __init__(
        self, url: str, token: str, *, timeout_seconds: float, transport: httpx.BaseTransport | None
    ) -> None:
        super().__init__(timeout_seconds)
        self._http = httpx.Client(base_url=url, headers=_headers(token), transport=transport)

    def run(
        self,
        steps: Steps[T],
        *,
        stop: threading.Event | None = None,
        work: Callable[[Any], None] | None = None,
    ) -> T:
        """Run the steps and return their result. Raise Stopped at a pause once `stop` is set."""
        came: object = None
        try:
            while True:
                step = steps.send(came)
                if isinstance(step, Ask):
                    came = self._ask(step)
                    continue
                came = None
                if isinstance(step, Pause):
                    _wait(step.seconds, stop)
                elif work is not None:
                    work(step.task)
        except StopIteration as end:
            result: T = end.value
            return result
        finally:
            steps.close()

    def _ask(self, step: Ask) -> Reply | NoReply:
        try:
            return _reply(self._http.request(step.method, step.path, **self._options(step)))
        except (httpx.HTTPError, OSError) as error:
            return NoReply(f"{type(error).__name__} {error}".strip())

    @contextlib.contextmanager
    def holding(self, lease: Lease, steps: Steps[None]) -> Iterator[None]:
        """Renew a lease in a thread while the block runs.

        Raise PermitLost at the end if it was lost.
        """
        stop = threading.Event()
        keeper = threading.Thread(target=self._keep, args=(steps, stop), daemon=True)
        keeper.start()
        try:
            yield
            lease.check()
        finally:
            stop.set()
            keeper.join()

    def _keep(self, steps: Steps[None], stop: threading.Event) -> None:
        try:
            self.run(steps, stop=stop)
        except Stopped:
            pass
        except PoolsiteError as error:
            logger.warning("not kept: %s", error)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()


def _wait(seconds: float, stop: threading.Event | None) -> None:
    if stop is None:
        time.sleep(seconds)
    elif stop.wait(seconds):
        raise Stopped


class Asyncio(_Runner):
    """Runs the steps with asyncio, for one event loop."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout_seconds: float,
        transport: httpx.AsyncBaseTransport | None,
    ) -> None:
        super().__init__(timeout_seconds)
        self._http = httpx.AsyncClient(base_url=url, headers=_headers(token), transport=transport)

    async def run(
        self, steps: Steps[T], *, work: Callable[[Any], Awaitable[None]] | None = None
    ) -> T:
        """Run the steps and return their result."""
        came: object = None
        try:
            while True:
                step = steps.send(came)
                if isinstance(step, Ask):
                    came = await self._ask(step)
                    continue
                came = None
                if isinstance(step, Pause):
                    await asyncio.sleep(step.seconds)
                elif work is not None:
                    await work(step.task)
        except StopIteration as end:
            result: T = end.value
            return result
        finally:
            steps.close()

    async def _ask(self, step: Ask) -> Reply | NoReply:
        try:
            request = self._http.request(step.method, step.path, **self._options(step))
            return _reply(await request)
        except (httpx.HTTPError, OSError) as error:
            return NoReply(f"{type(error).__name__} {error}".strip())

    @contextlib.asynccontextmanager
    async def holding(self, lease: Lease, steps: Steps[None]) -> AsyncIterator[None]:
        """Renew a lease in a task while the block runs.

        As soon as the lease has ended, the block is cancelled and PermitLost is raised.
        """
        loop = asyncio.get_running_loop()
        limit = asyncio.timeout(lease.remaining_seconds)

        def moved() -> None:
            if not limit.expired():
                limit.reschedule(loop.time() + lease.remaining_seconds)

        try:
            async with limit:
                lease.on_change = moved
                keeper = asyncio.create_task(self._keep(steps))
                try:
                    yield
                    lease.check()
                finally:
                    lease.on_change = None
                    keeper.cancel()
                    await asyncio.gather(keeper, return_exceptions=True)
        except TimeoutError:
            if limit.expired():
                raise PermitLost(lease.lost or "past its deadline") from None
            raise

    async def _keep(self, steps: Steps[None]) -> None:
        try:
            await self.run(steps)
        except PoolsiteError as error:
            logger.warning("not kept: %s", error)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()


def _headers(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}
