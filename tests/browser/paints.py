"""How fast pages open, as a browser measures it: paint, longest task, layout shift.

`watch` is called on a context before its first page; `read` after a page has settled returns a
Load. Source of the marks: the spec of the console, for the demo on a quiet machine.
"""

import os
import statistics
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from playwright.async_api import BrowserContext, Page

from tests.support.percentiles import percentile

COLD_MS: Final = 350  # first contentful paint of 95 % of loads, cache empty
WARM_MS: Final = 200
TASK_MS: Final = 50
SHIFT: Final = 0.02
SHARE: Final = 0.95

_OBSERVE = """
globalThis.__task = 0; globalThis.__shift = 0;
new PerformanceObserver((list) => {
  for (const each of list.getEntries()) __task = Math.max(__task, each.duration);
}).observe({type: "longtask", buffered: true});
new PerformanceObserver((list) => {
  for (const each of list.getEntries()) if (!each.hadRecentInput) __shift += each.value;
}).observe({type: "layout-shift", buffered: true});
"""
_READ = """() => ({
  paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? -1,
  task: __task,
  shift: __shift,
})"""


@dataclass(frozen=True)
class Load:
    """One load. `warm`: the browser had the page's files. Times in ms."""

    page: str
    warm: bool
    paint: float
    task: float
    shift: float


async def watch(context: BrowserContext) -> None:
    """Observe tasks and shifts on every page that this context opens."""
    await context.add_init_script(_OBSERVE)


async def read(page: Page, name: str, *, warm: bool) -> Load:
    """Return the measurements of the load of `page` so far."""
    found = await page.evaluate(_READ)
    return Load(name, warm, found["paint"], found["task"], found["shift"])


def table(loads: list[Load]) -> Iterator[str]:
    """Yield the loads as a Markdown table: all pages, then each page, the slowest first."""
    yield "| page | empty cache, ms | cached, ms | longest task, ms | layout shift |"
    yield "| --- | --- | --- | --- | --- |"
    yield f"| *mark, for 95 % of loads* | {COLD_MS} | {WARM_MS} | {TASK_MS} | {SHIFT} |"
    yield _row(f"**95 % of {len(loads)} loads**", loads, SHARE)
    yield _row("**median**", loads, 0.5)
    pages = defaultdict(list)
    for load in loads:
        pages[load.page].append(load)
    for name, own in sorted(pages.items(), key=lambda each: -_paint(each[1], warm=False)):
        yield _row(name, own, 0.5)


def _paint(loads: list[Load], *, warm: bool, share: float = 0.5) -> float:
    return percentile((load.paint for load in loads if load.warm == warm), share)


def _row(name: str, loads: list[Load], share: float) -> str:
    cold, warm = (_paint(loads, warm=each, share=share) for each in (False, True))
    task = percentile((load.task for load in loads), share)
    shift = percentile((load.shift for load in loads), share)
    return f"| {name} | {cold:.0f} | {warm:.0f} | {task:.0f} | {shift:.3f} |"


def conditions(loads: list[Load], when: str) -> str:
    """Return a sentence that states when and on what machine they were measured."""
    spread = statistics.median(load.paint for load in loads)
    return (
        f"Measured on {when}: {len(loads)} loads on {os.cpu_count()} cores, which the demo and the"
        f" browser share; load average {os.getloadavg()[0]:.1f}; median paint {spread:.0f} ms."
    )
