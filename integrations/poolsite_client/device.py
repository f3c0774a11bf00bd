"""A device that reports and carries tasks out: `Device` with blocking calls, `AsyncDevice`."""

import contextlib
import threading
from collections.abc import Awaitable, Callable
from typing import Any, Unpack

from . import lease, tasks
from .clients import AsyncClient, AsyncOptions, Client, Options
from .tasks import DeviceState, Task, Told
from .transport import Stopped


class Device(Client):
    """One device. `gate` names the gate where the token is for several.

    Results are kept until the gate has told what it made of them, and are part of each report.
    """

    def __init__(
        self, url: str, token: str, device: str, *, gate: str = "", **options: Unpack[Options]
    ) -> None:
        super().__init__(url, token, **options)
        self.state = DeviceState(device, gate)
        self._stop = threading.Event()

    def report(self) -> Told:
        """Tell the results that wait; the answer has the task, or when to ask again.

        A task that runs is told again with the same token.
        """
        return self._runner.run(tasks.report(self.state))

    def renew(self, task: Task) -> None:
        """Move the task's deadline. Raises PermitLost when it is the device's no longer."""
        self._runner.run(tasks.renew(self.state, task))

    def done(self, task: Task, *, ok: bool = True, data: Any = None) -> None:
        """Keep the task's result for the next reports."""
        self.state.add_result(task, ok=ok, data=data)

    def run(self, handler: Callable[[Task], Any]) -> None:
        """Report until `stop`, and call the handler with each task; it is renewed meanwhile.

        What the handler returns is the result (JSON); TaskFailed or any other error is a failure.
        Long handlers call `task.check()` between pieces of work. Raises RejectedError.
        """

        def work(task: Task) -> None:
            steps = lease.keep(task, lambda: tasks.renew(self.state, task))
            with self.state.carrying_out(task) as outcome, self._runner.holding(task, steps):
                outcome.data = handler(task)

        with contextlib.suppress(Stopped):
            self._runner.run(tasks.run(self.state), stop=self._stop, work=work)

    def stop(self) -> None:
        """End `run` when the task at hand is done and its result was sent."""
        self._stop.set()


class AsyncDevice(AsyncClient):
    """One device, for asyncio; otherwise as `Device`."""

    def __init__(
        self, url: str, token: str, device: str, *, gate: str = "", **options: Unpack[AsyncOptions]
    ) -> None:
        super().__init__(url, token, **options)
        self.state = DeviceState(device, gate)

    async def report(self) -> Told:
        """Tell the results that wait; the answer has the task, or when to ask again."""
        return await self._runner.run(tasks.report(self.state))

    async def renew(self, task: Task) -> None:
        """Move the task's deadline. Raises PermitLost when it is the device's no longer."""
        await self._runner.run(tasks.renew(self.state, task))

    def done(self, task: Task, *, ok: bool = True, data: Any = None) -> None:
        """Keep the task's result for the next reports."""
        self.state.add_result(task, ok=ok, data=data)

    async def run(self, handler: Callable[[Task], Awaitable[Any]]) -> None:
        """Report until cancelled, and await the handler with each task; it is renewed meanwhile.

        The handler is cancelled when the task's deadline has passed. Otherwise as `Device.run`.
        """

        async def work(task: Task) -> None:
            steps = lease.keep(task, lambda: tasks.renew(self.state, task))
            with self.state.carrying_out(task) as outcome:
                async with self._runner.holding(task, steps):
                    outcome.data = await handler(task)

        await self._runner.run(tasks.run(self.state), work=work)
