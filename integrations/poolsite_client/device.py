"""A device that reports and carries out tasks: `Device` with blocking calls, `AsyncDevice`."""

import contextlib
import threading
from collections.abc import Awaitable, Callable
from typing import Any, Unpack

from . import lease, tasks
from .clients import AsyncClient, AsyncOptions, Client, Options
from .tasks import DeviceState, Task, Told
from .transport import Stopped


class Device(Client):
    """One device. `gate` names the gate if the token is valid for several gates.

    Results are stored until the gate has confirmed them, and are part of each report.
    """

    def __init__(
        self, url: str, token: str, device: str, *, gate: str = "", **options: Unpack[Options]
    ) -> None:
        super().__init__(url, token, **options)
        self.state = DeviceState(device, gate)
        self._stop = threading.Event()

    def report(self) -> Told:
        """Send the waiting results. The answer has the task, or the time of the next report.

        A task that is running is returned again with the same token.
        """
        return self._runner.run(tasks.report(self.state))

    def renew(self, task: Task) -> None:
        """Extend the task's deadline. Raise PermitLost if the device no longer has the task."""
        self._runner.run(tasks.renew(self.state, task))

    def done(self, task: Task, *, ok: bool = True, data: Any = None) -> None:
        """Store the task's result for the next reports."""
        self.state.add_result(task, ok=ok, data=data)

    def run(self, handler: Callable[[Task], Any]) -> None:
        """Report until `stop` is called, and call the handler with each task.

        The task is renewed while the handler runs. The handler's return value is the result (JSON).
        If it raises TaskFailed or another error, the task has failed. Long handlers call
        `task.check()` between pieces of work. Raise RejectedError if the gate refuses a report.
        """

        def work(task: Task) -> None:
            steps = lease.keep(task, lambda: tasks.renew(self.state, task))
            with self.state.carrying_out(task) as outcome, self._runner.holding(task, steps):
                outcome.data = handler(task)

        with contextlib.suppress(Stopped):
            self._runner.run(tasks.run(self.state), stop=self._stop, work=work)

    def stop(self) -> None:
        """End `run` when the current task is done and its result was sent."""
        self._stop.set()


class AsyncDevice(AsyncClient):
    """Like `Device`, for asyncio."""

    def __init__(
        self, url: str, token: str, device: str, *, gate: str = "", **options: Unpack[AsyncOptions]
    ) -> None:
        super().__init__(url, token, **options)
        self.state = DeviceState(device, gate)

    async def report(self) -> Told:
        """Send the waiting results. The answer has the task, or the time of the next report."""
        return await self._runner.run(tasks.report(self.state))

    async def renew(self, task: Task) -> None:
        """Extend the task's deadline. Raise PermitLost if the device no longer has the task."""
        await self._runner.run(tasks.renew(self.state, task))

    def done(self, task: Task, *, ok: bool = True, data: Any = None) -> None:
        """Store the task's result for the next reports."""
        self.state.add_result(task, ok=ok, data=data)

    async def run(self, handler: Callable[[Task], Awaitable[Any]]) -> None:
        """Report until cancelled, and await the handler with each task, which is renewed meanwhile.

        The handler is cancelled when the task's deadline has passed. See `Device.run` for the rest.
        """

        async def work(task: Task) -> None:
            steps = lease.keep(task, lambda: tasks.renew(self.state, task))
            with self.state.carrying_out(task) as outcome:
                async with self._runner.holding(task, steps):
                    outcome.data = await handler(task)

        await self._runner.run(tasks.run(self.state), work=work)
