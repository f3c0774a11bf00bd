"""Sends events of simultaneous requests to Redis together.

One command per request costs both sides more than the event itself: a write, a wake-up and a read
each. While one pipeline is running, other events wait for the next one, but no longer than a
millisecond: an idle server answers at once, and a busy one sends longer list commands. The order
within an aggregate is preserved, and each event gets its own outcome.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextvars import Context, ContextVar
from typing import Any, Generic, TypeVar

from poolsite import changes, hotpath, tracing
from poolsite.hotpath import Command, HotPathError, traces
from poolsite.per_loop import PerLoop

I = TypeVar("I")  # noqa: E741  item
R = TypeVar("R")  # result

ITEMS_PER_COMMAND = 32
ITEMS_PER_PIPELINE = 512
LONGEST_WAIT_SECONDS = 0.001  # a pipeline that runs longer delays no others
PIPELINES_LIMIT = 8
THREAD_WAITS_SECONDS = 60.0  # longer than any pipeline takes: the loop has ended meanwhile

# The loop that serves the request. The threads in which Django serves it inherit the value.
_serving: ContextVar[asyncio.AbstractEventLoop | None] = ContextVar("serving", default=None)

Combine = Callable[[str, Sequence[I]], Command[Sequence[R]]]
_Waiting = tuple[tuple[str, bool], I, asyncio.Future[R]]  # its tag and whether apart; item; result


class Gatherer(Generic[I, R]):
    """The items of one event loop that wait for the next pipeline.

    `combine` makes one command of up to 32 items of one aggregate. Its result has one entry per
    item, in their order: an item's result, or the error that is raised for it. `path`: another
    Redis than the default.
    """

    def __init__(self, combine: Combine[I, R], path: hotpath.HotPath | None = None) -> None:
        self._combine = combine
        self._path = path
        self._loop = asyncio.get_running_loop()
        self._waiting: list[_Waiting[I, R]] = []
        self._under_way: set[asyncio.Task[None]] = set()
        self._scheduled = False

    async def run(self, tag: str, item: I, *, apart: bool = False) -> R:
        """Run one item. Raise Unavailable, UnknownOutcome or ScriptFailed.

        `apart`: the item shares a command only with other items that are `apart`.
        """
        future: asyncio.Future[R] = self._loop.create_future()
        self._waiting.append(((tag, apart), item, future))
        if not self._scheduled and not self._under_way:
            self._scheduled = True
            self._loop.call_soon(self._start)  # after the other requests of this round
        if not tracing.is_recording():
            return await future
        with traces.waiting(self._path or hotpath.default(), self._combine(tag, [item])):
            return await future

    def _start(self) -> None:
        self._scheduled = False
        if not self._waiting:
            return
        batch = self._waiting[:ITEMS_PER_PIPELINE]
        del self._waiting[:ITEMS_PER_PIPELINE]
        # An empty context: with one request's context, it would get the spans of all.
        task = self._loop.create_task(self._send(batch), context=Context())
        self._under_way.add(task)
        task.add_done_callback(self._ended)
        self._loop.call_later(LONGEST_WAIT_SECONDS, self._go_on_without, task)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        if self._waiting and not self._scheduled:
            self._start()

    def _go_on_without(self, task: asyncio.Task[None]) -> None:
        if task.done():
            return
        if self._waiting and len(self._under_way) < PIPELINES_LIMIT:
            self._start()
        self._loop.call_later(LONGEST_WAIT_SECONDS, self._go_on_without, task)

    async def _send(self, batch: Sequence[_Waiting[I, R]]) -> None:
        groups = _grouped(batch)
        try:
            lists = [(tag, items) for tag, items, _ in groups]
            outcomes = await run_lists(self._path or hotpath.default(), self._combine, lists)
        except BaseException as error:
            reason = error if isinstance(error, Exception) else hotpath.UnknownOutcome("stopped")
            for _, _, future in batch:
                _fail(future, reason)
            if not isinstance(error, Exception):
                raise
            return
        for (_, _, futures), outcome in zip(groups, outcomes, strict=True):
            _settle(futures, outcome)


async def run_lists(
    path: hotpath.HotPath, combine: Combine[I, R], lists: Sequence[tuple[str, Sequence[I]]]
) -> list[Sequence[R | HotPathError] | HotPathError]:
    """Run lists of items, each of one aggregate, with a command per list. Return outcomes per list.

    If a server without memory refuses a list, its items are sent one by one: among events of calls
    it runs the hangups.
    """
    outcomes: list[Any] = await path.arun_batch([combine(tag, items) for tag, items in lists])
    for place, (tag, items) in enumerate(lists):
        if isinstance(outcomes[place], hotpath.Full) and len(items) > 1:
            alone = await path.arun_batch([combine(tag, [item]) for item in items])
            outcomes[place] = [
                each if isinstance(each, HotPathError) else each[0] for each in alone
            ]
    return outcomes


def serve_threads() -> None:
    """Make the running loop gather for the threads that serve the running task's request."""
    _serving.set(asyncio.get_running_loop())


def run_from_thread(
    gatherer: PerLoop[Gatherer[I, R]], alone: Callable[[], Command[R]], tag: str, item: I
) -> R:
    """Run one item from a thread that serves a request. Raise the errors of Gatherer.run.

    The item runs to its end even if its request is cancelled. `alone` makes a separate command for
    the item, used if no loop serves requests.
    """
    loop = _serving.get()
    if loop is None:
        return hotpath.run(alone())

    async def gathered() -> R:
        return await gatherer().run(tag, item)

    with changes.noted(hotpath.Unavailable, hotpath.AggregateRefused):
        try:
            return asyncio.run_coroutine_threadsafe(gathered(), loop).result(THREAD_WAITS_SECONDS)
        except TimeoutError:
            raise hotpath.UnknownOutcome("the server stopped") from None


def _grouped(
    batch: Sequence[_Waiting[I, R]],
) -> list[tuple[str, list[I], list[asyncio.Future[R]]]]:
    """Group items by aggregate, in order, up to 32 in a group."""
    groups: list[tuple[str, list[I], list[asyncio.Future[R]]]] = []
    current: dict[tuple[str, bool], tuple[str, list[I], list[asyncio.Future[R]]]] = {}
    for key, item, future in batch:
        group = current.get(key)
        if group is None or len(group[1]) == ITEMS_PER_COMMAND:
            group = current[key] = (key[0], [], [])
            groups.append(group)
        group[1].append(item)
        group[2].append(future)
    return groups


def _settle(futures: Sequence[asyncio.Future[R]], outcome: Any) -> None:
    if isinstance(outcome, HotPathError):
        for future in futures:
            _fail(future, outcome)
        return
    for future, result in zip(futures, outcome, strict=True):
        if isinstance(result, HotPathError):
            _fail(future, result)
        elif not future.done():  # otherwise its request was cancelled, but the item ran
            future.set_result(result)


def _fail(future: asyncio.Future[Any], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
