"""A peer's own frames: numbers them, and stores and repeats them until they are acknowledged."""

import asyncio
import random
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass

from .codec import Frame
from .outcomes import Outcome, Sent

AGAIN_SECONDS = 2.0  # before a refused end is sent again; shortened by a random share, up to half
LINK_LOST = "link lost"
ENDED = "ended by this end"
FORGOTTEN = "the dispatcher lost its data"


@dataclass(slots=True, eq=False)
class Item:
    """A frame in the queue, and the `Sent` object that its sender received."""

    frame: Frame
    sent: Sent
    seq: int = 0  # 0: not sent since the numbering last restarted
    doubted: bool = False  # sent before to a dispatcher that has lost its data


def _never(_frame: Frame) -> bool:
    return False


class Outgoing:
    """The queue of one peer. It outlives the links; the numbering may restart with a link."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._items: deque[Item] = deque()  # not acknowledged
        self._unsent: deque[Item] = deque()
        self._open: dict[int, Item] = {}  # by number: sent, with an unknown outcome
        self._starts: dict[str, Item] = {}  # by session: no instance is known to have accepted it
        self._later: dict[Item, asyncio.TimerHandle] = {}
        self._decided: tuple[int, int] | None = None
        self._last = 0  # the last number that was assigned
        self._acknowledged = 0
        self._linked = False
        self._closed: Exception | None = None
        self._room = asyncio.Condition()
        self._more = asyncio.Event()

    def __len__(self) -> int:
        return len(self._items) + len(self._later)

    @property
    def waiting(self) -> bool:
        """Whether there are frames to send on this link."""
        return bool(self._unsent)

    # -- the queue --------------------------------------------------------------------------------

    async def put(self, frame: Frame) -> Sent:
        """Queue a frame.

        Wait while too many are unacknowledged. Raise the error given to `close`.
        """
        async with self._room:
            await self._room.wait_for(lambda: self._closed or len(self._items) < self._limit)
            return self.put_nowait(frame)

    def put_nowait(self, frame: Frame) -> Sent:
        """Queue a frame regardless of the limit (an end must not wait behind messages)."""
        if self._closed is not None:
            raise self._closed
        item = Item(frame, Sent(str(frame.get("session", ""))))
        if frame.get("confirm"):
            self._starts[item.sent.session] = item
        self._queue(item)
        return item.sent

    def first(self, frame: Frame) -> None:
        """Queue a frame before all others. Allowed only before the first link (SIP's `clear`)."""
        item = Item(frame, Sent())
        self._items.appendleft(item)
        self._unsent.appendleft(item)
        self._more.set()

    def _put_later(self, item: Item) -> None:
        """Queue a refused frame once more, after a pause."""
        seconds = AGAIN_SECONDS * random.uniform(0.5, 1.0)  # noqa: S311  spread, not secrecy
        again = Item(item.frame, item.sent)  # the first one may still wait for its acknowledgement
        timer = asyncio.get_running_loop().call_later(seconds, self._put_again, again)
        self._later[again] = timer

    def _put_again(self, item: Item) -> None:
        self._later.pop(item).cancel()
        self._queue(item)

    def _queue(self, item: Item) -> None:
        self._items.append(item)
        self._unsent.append(item)
        self._more.set()

    async def next(self) -> Frame:
        """Wait for the next frame to send on this link, and return it with its number."""
        while not (self._linked and self._unsent):
            self._more.clear()
            await self._more.wait()
        item = self._unsent.popleft()
        self._last += 1
        item.seq = self._last
        self._open[item.seq] = item
        return {**item.frame, "seq": item.seq}

    async def empty(self) -> None:
        """Wait until everything is acknowledged, or the queue is closed."""
        async with self._room:
            await self._room.wait_for(lambda: self._closed or not len(self))

    async def close(self, error: Exception) -> None:
        """Close the queue; `put` then raises `error`.

        Outcomes that are not known yet stay unknown.
        """
        async with self._room:
            self._closed = error
            for timer in self._later.values():
                timer.cancel()
            known = (*self._open.values(), *self._items, *self._later, *self._starts.values())
            for item in known:
                item.sent.settle(Outcome("unknown", str(error)))
            self._open, self._starts = {}, {}
            self._room.notify_all()

    def frames(self) -> list[Frame]:
        """Return the unacknowledged frames in order."""
        return [item.frame for item in self._items]

    # -- a link -----------------------------------------------------------------------------------

    def begin(
        self,
        received: int,
        *,
        again: bool,
        refusals_until: int = 0,
        forgot: bool = False,
        is_void: Callable[[Frame], bool] = _never,
    ) -> list[Frame]:
        """Start a new link. The dispatcher has received all frames up to the number `received`.

        Missing frames are sent again, with new numbers if the dispatcher has lost its data
        (`forgot`). If `again` is false, frames that were sent and not acknowledged are given up and
        returned because their outcome is unknown, and so are frames that are void on this link. The
        rest stays in the queue.

        `refusals_until`: the dispatcher has sent all refusals of the frames that it received in its
        own frames up to this number.
        """
        for item in tuple(self._later):
            self._put_again(item)
        if again and not forgot and self._acknowledged <= received <= self._last:
            self._drop_until(received)
            self._open = {seq: item for seq, item in self._open.items() if seq <= received}
            self._decided = (received, refusals_until)
        else:
            self._forget(again=again)
        given_up = [item for item in self._items if not again and (item.seq or is_void(item.frame))]
        for item in given_up:
            self._settle(item, Outcome("unknown", LINK_LOST))
        lost = set(given_up)
        self._items = deque(item for item in self._items if item not in lost)
        self._acknowledged = self._last = received
        for item in self._items:
            item.seq = 0
        self._unsent = deque(self._items)
        self._linked = True
        self._more.set()
        return [item.frame for item in given_up]

    def pause(self) -> None:
        """Stop sending because the link is lost. Queued frames wait for the next link."""
        self._linked = False

    def _forget(self, *, again: bool) -> None:
        """Restart both numberings. Refusals that have not arrived will never arrive."""
        reason = FORGOTTEN if again else LINK_LOST
        queued = set(self._items)
        for item in (*self._open.values(), *self._starts.values()):
            item.doubted = item.doubted or item.seq > 0
            if item not in queued:
                self._settle(item, Outcome("unknown", reason))
        self._open, self._decided = {}, None

    def _drop_until(self, seq: int) -> list[Item]:
        dropped = []
        while self._items and 0 < self._items[0].seq <= seq:
            dropped.append(self._items.popleft())
        return dropped

    # -- the dispatcher's answers -----------------------------------------------------------------

    async def acknowledge(self, seq: int, refused: Collection[int] = ()) -> None:
        """Note that the dispatcher has handled all frames up to `seq`.

        Those in `refused` were not carried out; separate frames contain the reasons.
        """
        async with self._room:
            self._acknowledged = max(self._acknowledged, min(seq, self._last))
            for item in self._drop_until(self._acknowledged):
                if item.seq not in refused and item.seq in self._open:
                    self._accept(item.seq)
            self._room.notify_all()

    def refuse(self, seq: int, reason: str, *, again: bool = False) -> None:
        """Note that a frame was not carried out.

        With `again`, it is sent once more after a pause.
        """
        item = self._open.pop(seq, None)
        if item is None:
            return
        if again and self._closed is None:
            self._put_later(item)
        else:
            self._settle(item, Outcome("unknown" if item.doubted else "refused", reason))

    def started(self, session: str, instance: str) -> None:
        """Note that an instance has accepted a session."""
        if session in self._starts:
            self._settle(self._starts[session], Outcome("accepted", "", instance))

    def over(self, session: str, outcome: Outcome) -> None:
        """Note that a session is over, perhaps before an instance has accepted it."""
        if session in self._starts:
            self._settle(self._starts[session], outcome)

    def heard(self, seq: int) -> None:
        """Note that the dispatcher's frames up to `seq`, with its refusals, were received."""
        if self._decided is None or seq < self._decided[1]:
            return
        received, self._decided = self._decided[0], None
        for number in [number for number in self._open if number <= received]:
            self._accept(number)

    def _accept(self, seq: int) -> None:
        """Note that a frame was carried out.

        A later frame names the instance that accepted a session. It never arrives if the dispatcher
        lost its data in the meantime although the instance still has the session.
        """
        item = self._open.pop(seq)
        if item.doubted or self._starts.get(item.sent.session) is not item:
            self._settle(item, Outcome("accepted"))

    def _settle(self, item: Item, outcome: Outcome) -> None:
        if self._starts.get(item.sent.session) is item:
            del self._starts[item.sent.session]
        item.sent.settle(outcome)
