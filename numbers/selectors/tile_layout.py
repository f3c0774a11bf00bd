"""The layout of tile pages: numbers in their order, 10 000 per page."""

import asyncio
import time
from dataclasses import dataclass, field
from hashlib import blake2b
from weakref import WeakValueDictionary

from numbers.models import Number, Pool
from poolsite import live
from poolsite.per_loop import PerLoop

TILES_PER_PAGE = 10_000
FRESH_SECONDS = 2.0  # during an import, a page's layout is read again this often

_LAYOUTS: PerLoop[WeakValueDictionary[str, "Layout"]] = PerLoop(WeakValueDictionary)


@dataclass(frozen=True)
class PageLayout:
    """One page as SQL has it now."""

    page: int
    pages: int
    total: int
    id: str
    numbers: list[str]
    index: dict[str, int] = field(repr=False, default_factory=dict)

    @property
    def last(self) -> str:
        return self.numbers[-1] if self.numbers else ""

    @property
    def is_full(self) -> bool:
        return len(self.numbers) >= TILES_PER_PAGE


NOTHING = PageLayout(page=0, pages=1, total=0, id="", numbers=[])


class Layout:
    """The pages of one pool that are watched in this process."""

    def __init__(self, slug: str) -> None:
        self.slug = slug
        self._pages: dict[int, tuple[float, PageLayout]] = {}
        self._reading: dict[int, asyncio.Task[PageLayout]] = {}

    async def page(self, page: int, *, newer_than: float = 0.0) -> PageLayout:
        """Return a page that was read after the loop's time `newer_than`.

        A page is read up to once in FRESH_SECONDS: a younger page is returned as it is, and the
        caller asks again later.
        """
        loop = asyncio.get_running_loop()
        known = self._pages.get(page)
        if known is not None and (known[0] >= newer_than or loop.time() - known[0] < FRESH_SECONDS):
            return known[1]
        task = self._reading.get(page)
        if task is None:
            task = self._reading[page] = loop.create_task(self._read(page, loop.time()))
            task.add_done_callback(lambda _: self._reading.pop(page, None))
        return await asyncio.shield(task)

    async def _read(self, page: int, at: float) -> PageLayout:
        layout = await live.in_thread(_read_page, self.slug, page)
        self._pages[page] = (at, layout)
        return layout

    def read_at(self, page: int) -> float:
        """Return the loop's time at which a page was read."""
        return self._pages[page][0]


def _read_page(slug: str, page: int) -> PageLayout:
    pool_id = Pool.objects.filter(slug=slug).values_list("pk", flat=True).first()
    rows = Number.objects.filter(pool_id=pool_id or 0).order_by("value")
    total = rows.count()
    first = page * TILES_PER_PAGE
    numbers = list(rows.values_list("value", flat=True)[first : first + TILES_PER_PAGE])
    return PageLayout(
        page=page,
        pages=max(1, -(-total // TILES_PER_PAGE)),
        total=total,
        numbers=numbers,
        id=layout_id(numbers),
        index={number: index for index, number in enumerate(numbers)},
    )


def layout_id(numbers: list[str]) -> str:
    """Return the ID of a page's list of numbers. It is the same in every process."""
    return blake2b("\n".join(numbers).encode(), digest_size=8).hexdigest()


def layout_of(slug: str) -> Layout:
    """Return the running loop's layout of a pool. It is removed when no reference is left."""
    layouts = _LAYOUTS()
    layout = layouts.get(slug)
    if layout is None:
        layout = layouts[slug] = Layout(slug)
    return layout


def now_us() -> int:
    """Return this machine's clock in µs, to compare states with Redis' times."""
    return time.time_ns() // 1000
