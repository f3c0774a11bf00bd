"""Every page of the table of addresses: on a phone, in Chinese in the dark, in longer words.

One server and one browser walk them all, four pages at a time. What a page holds is proved beside
its app; here it must fit, satisfy axe, keep the content policy, and stay within its script.
"""

import asyncio
import gzip
import json
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, BrowserContext

from poolsite.runtime.redis_server import RedisServer
from tests.browser import long_words
from tests.browser.console import PHONE, Window
from tests.live.servers import Site, WebServer

pytestmark = [pytest.mark.browser, pytest.mark.needs("chromium")]

APPLICATION = "poolsite.asgi:application"
AT_ONCE = 4
PATIENCE_MS = 60_000
FEWEST_PAGES = 90
SCRIPT_BYTES = 300_000
CONTRAST = "color-contrast"  # what of axe's rules depends on the theme
# A page's own scripts, decoded; what came from the cache counts like the rest. The catalogue of
# texts, /strings/<language>.js, is no script: 3 kB in English, 45 in Chinese.
SCRIPT_SUM = """() => performance.getEntriesByType('resource')
  .filter((each) => each.initiatorType === 'script' || each.name.endsWith('.js'))
  .filter((each) => !each.name.includes('/strings/'))
  .reduce((sum, each) => sum + each.decodedBodySize, 0)"""
# Words that end at an edge without saying so. Ellipsis says so; scroll boxes are to be scrolled.
CUT = """() => {
  const short = 'button, a.button, .chip, .badge, th, .stat__label, .card__title, h1, legend,'
    + ' label';
  const cut = (each, look) => look.overflowX !== 'visible' && look.textOverflow !== 'ellipsis'
    && each.scrollWidth > each.clientWidth + 1;
  return [...document.querySelectorAll(short)]
    .filter((each) => each.checkVisibility() && !each.closest('.visually-hidden, .table-scroll'))
    .filter((each) => cut(each, getComputedStyle(each)))
    .map((each) => `cut: ${each.outerHTML.slice(0, 120)}`);
}"""
# Texts in a column that is too narrow for them: three lines and more, hardly a word in each.
SQUEEZED = """() => {
  const beside = '.visually-hidden, .icon, svg, script, style, textarea, select';
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const found = [];
  while (walker.nextNode()) {
    const text = walker.currentNode;
    const holder = text.parentElement;
    if (!text.data.trim() || holder.closest(beside) || !holder.checkVisibility()) continue;
    range.selectNodeContents(text);
    const lines = new Set([...range.getClientRects()].map((each) => Math.round(each.top))).size;
    const { width } = range.getBoundingClientRect();
    if (lines < 3 || width >= 72) continue;
    const told = holder.closest('td, th, li, div').outerHTML.slice(0, 120);
    found.push(`${lines} lines in ${Math.round(width)} px: ${told}`);
  }
  return found;
}"""
SOURCES = "[...document.scripts].map((each) => each.src).filter(Boolean)"
# Of the table of addresses: figures, files, pieces of pages, and what leads on to another page.
NO_PAGES = {
    "",
    "accounts/<slug:slug>/campaigns/<int:pk>/dropped/",
    "accounts/<slug:slug>/campaigns/<int:pk>/results/",
    "accounts/<slug:slug>/message/",
    "accounts/<slug:slug>/opt-outs/export/",
    "accounts/<slug:slug>/pace/",
    "accounts/<slug:slug>/statements/<str:month>/csv/",
    "accounts/<slug:slug>/top-ups/<int:pk>/pay/",
    "accounts/<slug:slug>/top-ups/<int:pk>/state/",
    "accounts/<slug:slug>/usage/data/",
    "alerts/",
    "balance/",
    "batches/<int:batch_id>/failed/",
    "campaigns/",
    "chatbots/",
    "desks/<slug:slug>/messages/csv/",
    "desks/<slug:slug>/replay/board/",
    "desks/<slug:slug>/reports/csv/",
    "gates/<slug:slug>/samples/",
    "groups/<slug:slug>/events.csv",
    "groups/<slug:slug>/samples/",
    "imports/<int:import_id>/panel/",
    "imports/<int:import_id>/refused/",
    "login/code/",
    "messages/",
    "numbers/<number:value>/story/",
    "numbers/export/",
    "numbers/states/",
    "opt-outs/",
    "password/reset/<str:uid>/<str:token>/",
    "payments/^process/(?P<variant>[a-z-]+)/$",
    "payments/events/<slug:variant>/",
    "payments/process/<uuid:token>/",
    "pools/<slug:slug>/samples/",
    "pools/<slug:slug>/sizing/",
    "pools/<slug:slug>/tiles/",
    "prices/",
    "search/",
    "security/app/code.svg",
    "security/app/remove/",
    "security/codes/",
    "security/confirm/",
    "statements/",
    "templates/",
    "top-ups/",
    "usage/",
}


class _WalkSite(Site):
    """Without a second factor, so that the pages of money open."""

    @property
    def environment(self) -> dict[str, str]:
        given = {"POOLSITE_SECOND_FACTOR_FOR_MONEY": "0", "POOLSITE_DEMO_PASSWORD": "not used here"}
        return super().environment | given


@dataclass
class Walk:
    """Where to go, as whom, and what was found there."""

    base: str
    site: Site
    pages: dict[str, tuple[str, str]]
    others: list[str]
    cookies: dict[str, str]
    cookie_name: str

    async def each(
        self, browser: Browser, look: Callable[[Window], Awaitable[list[str]]], **options: Any
    ) -> dict[str, list[str]]:
        """Open every page, AT_ONCE at a time, and collect what `look` finds; {} is well."""
        waiting = list(self.pages.items())
        found: dict[str, list[str]] = {}
        contexts: dict[str, BrowserContext] = {}
        for reader in {reader for reader, _ in self.pages.values()}:
            contexts[reader] = await self.context(browser, reader, **options)
        await asyncio.gather(*(self._some(waiting, contexts, look, found) for _ in range(AT_ONCE)))
        for context in contexts.values():
            await context.close()
        return found

    async def _some(
        self,
        waiting: list[tuple[str, tuple[str, str]]],
        contexts: dict[str, BrowserContext],
        look: Callable[[Window], Awaitable[list[str]]],
        found: dict[str, list[str]],
    ) -> None:
        while waiting:
            pattern, (reader, address) = waiting.pop(0)
            page = await contexts[reader].new_page()
            page.set_default_timeout(PATIENCE_MS)
            shown = Window(page, self.base)
            await shown.go(address)
            await page.evaluate("document.fonts.ready")
            wrong = [*await look(shown), *shown.complaints]
            if wrong:
                found[f"{pattern} as {reader}"] = wrong
            await page.close()

    async def context(self, browser: Browser, reader: str, **options: Any) -> BrowserContext:
        """A browser in which this reader is logged in."""
        context = await browser.new_context(
            viewport=PHONE, timezone_id="Asia/Shanghai", reduced_motion="reduce", **options
        )
        if reader in self.cookies:
            cookie = {"name": self.cookie_name, "value": self.cookies[reader], "url": self.base}
            await context.add_cookies([cookie])  # type: ignore[list-item]
        return context


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walk]:
    """A site with the demo's data and one of each thing of the table, and its server."""
    folder: Path = tmp_path_factory.mktemp("walk")
    redis = RedisServer(folder=folder / "r", append_only=False).start()
    site = _WalkSite(folder / "site", redis.url)
    site.migrate()
    site.run("manage.py", "demo_data", "--small")
    told = json.loads(site.run("-m", "tests.browser.walk_stage").splitlines()[-1])
    server = WebServer(site, "uvicorn", APPLICATION).start()
    yield Walk(f"http://127.0.0.1:{server.port}", site, **told)
    server.stop()
    redis.stop()


def test_the_walk_goes_everywhere_but_where_no_page_is(walk: Walk) -> None:
    assert len(walk.pages) >= FEWEST_PAGES
    assert set(walk.others) == NO_PAGES


async def test_every_page_fits_a_phone_in_chinese_and_pleases_axe_in_both_themes(
    browser: Browser, walk: Walk
) -> None:
    async def look(shown: Window) -> list[str]:
        wrong = [*await shown.overflow(), *await shown.serious_violations()]
        if await shown.page.evaluate("document.documentElement.lang") != "zh-hans":
            wrong.append("not in Chinese")
        if (size := await shown.page.evaluate(SCRIPT_SUM)) >= SCRIPT_BYTES:
            wrong.append(f"{size} bytes of script")
        await shown.page.emulate_media(color_scheme="light")
        return wrong + [f"light: {each}" for each in await shown.serious_violations(CONTRAST)]

    assert await walk.each(browser, look, locale="zh-CN", color_scheme="dark") == {}


@pytest.fixture
def long_walk(walk: Walk, tmp_path: Path) -> Iterator[Walk]:
    """The same pages in words 40 % longer than English ones."""
    long_words.write(tmp_path)
    environment = long_words.environment(tmp_path)
    server = WebServer(walk.site, "uvicorn", APPLICATION, environment=environment).start()
    yield replace(walk, base=f"http://127.0.0.1:{server.port}")
    server.stop()


async def test_every_page_fits_a_phone_in_words_that_are_much_longer(
    browser: Browser, long_walk: Walk
) -> None:
    async def look(shown: Window) -> list[str]:
        titles.append(await shown.page.title())
        cut, squeezed = [await shown.page.evaluate(script) for script in (CUT, SQUEEZED)]
        return [*await shown.overflow(), *cut, *squeezed]

    titles: list[str] = []
    assert await long_walk.each(browser, look, locale="zh-CN") == {}
    assert any("Overviewover" in title for title in titles)


async def test_words_that_do_not_fit_would_be_seen(browser: Browser, walk: Walk) -> None:
    async def look(shown: Window) -> list[str]:
        await shown.page.evaluate("document.querySelector('h1').textContent = 'w'.repeat(200)")
        await shown.page.evaluate("document.querySelector('h1').style.overflow = 'visible'")
        await shown.page.evaluate("document.querySelector('h1').style.overflowWrap = 'normal'")
        return [*await shown.overflow(), *await shown.page.evaluate(CUT)]

    one = {name: page for name, page in walk.pages.items() if name == "system/"}
    shortened = replace(walk, pages=one)
    assert await shortened.each(browser, look, locale="en-GB") != {}


async def test_the_admin_stays_within_its_script_as_it_travels(
    browser: Browser, walk: Walk
) -> None:
    page = await (await walk.context(browser, "operate", locale="en-GB")).new_page()
    for path in ("/admin/", "/admin/numbers/number/", "/admin/operations/incident/"):
        answer = await page.goto(f"{walk.base}{path}")
        assert answer is not None
        assert answer.ok, path
        addresses = await page.evaluate(SOURCES)
        sizes = {}
        for address in addresses:
            body = await (await page.request.get(address)).body()
            sizes[address] = len(gzip.compress(body))
        assert 0 < sum(sizes.values()) < SCRIPT_BYTES, sizes


@pytest.mark.needs("cjk-fonts")
async def test_chinese_is_drawn_with_a_chinese_font(browser: Browser, walk: Walk) -> None:
    context = await walk.context(browser, "operate", locale="zh-CN")
    page = await context.new_page()
    await page.goto(f"{walk.base}/overview/")
    await page.evaluate("document.fonts.ready")
    devtools = await context.new_cdp_session(page)
    for method in ("DOM.enable", "CSS.enable"):
        await devtools.send(method)
    root = (await devtools.send("DOM.getDocument"))["root"]["nodeId"]
    heading = {"nodeId": root, "selector": "h1"}
    node = (await devtools.send("DOM.querySelector", heading))["nodeId"]
    fonts = await devtools.send("CSS.getPlatformFontsForNode", {"nodeId": node})
    drawn = {each["familyName"]: each["glyphCount"] for each in fonts["fonts"]}
    text = await page.locator("h1").inner_text()
    assert all("\u4e00" <= letter <= "\u9fff" for letter in text), text
    # The first of the stack of tokens.css that this machine has, for every single glyph.
    assert drawn == {"Noto Sans CJK SC": len(text)}
