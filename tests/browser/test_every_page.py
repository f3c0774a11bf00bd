"""Every page of the table of addresses: in Chinese on a desktop, in longer words on a phone.

One browser opens them all twice, four pages at a time: in each theme, and for the first and the
last of the roles that see a page. A page's content is tested next to its app; here it must fit,
satisfy axe, keep the content policy, and stay within its limit of scripts.
"""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, BrowserContext

from tests.browser import long_words
from tests.browser.console import DESKTOP, PHONE, TABLET, Window
from tests.browser.running import APPLICATION, Console, running
from tests.live.servers import WebServer
from tests.support.waiting import patient

pytestmark = [
    pytest.mark.prove,
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]

AT_ONCE = 4
PATIENCE_MS = 1000 * patient(60)
FEWEST_PAGES = 90
SCRIPT_BYTES = 300_000
# A page's own scripts, decoded; cached ones count like the rest. The catalogue of
# texts, /strings/<language>.js, is no script: 3 kB in English, 45 in Chinese.
SCRIPT_SUM = """() => performance.getEntriesByType('resource')
  .filter((each) => each.initiatorType === 'script' || each.name.endsWith('.js'))
  .filter((each) => !each.name.includes('/strings/'))
  .reduce((sum, each) => sum + each.decodedBodySize, 0)"""
# Texts that are cut at an edge without a sign. An ellipsis is a sign; scroll boxes can be scrolled.
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
# Texts in a column that is too narrow for them: three or more lines, hardly a word in each.
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
# Headings with hardly a letter left, and tables that cover what is next to their card.
CROWDED = """() => {
  const shown = (some) => [...document.querySelectorAll(some)].filter(
    (each) => each.checkVisibility() && !each.closest('.visually-hidden'));
  const squeezed = (each) => each.clientWidth < 60 && each.scrollWidth > each.clientWidth + 1;
  const right = (each) => each.getBoundingClientRect().right;
  const beyond = (table) => {
    const card = table.closest('.card');
    let box = table;
    while (box !== card && getComputedStyle(box).overflowX === 'visible') box = box.parentElement;
    return right(box === card ? table : box) > right(card) + 1;
  };
  return [...shown('h1, h2, h3').filter(squeezed), ...shown('.card table').filter(beyond)].map(
    (each) => `crowded: ${each.outerHTML.slice(0, 120)}`);
}"""
SOURCES = "[...document.scripts].map((each) => each.src).filter(Boolean)"
# Excluded from the table of addresses: figures, files, page fragments, and redirects.
NO_PAGES = {
    "",
    "accounts/<slug:slug>/campaigns/<int:pk>/dropped/",
    "accounts/<slug:slug>/campaigns/<int:pk>/results/",
    "accounts/<slug:slug>/invoices/<int:pk>/credit-note/pdf/",
    "accounts/<slug:slug>/invoices/<int:pk>/csv/",
    "accounts/<slug:slug>/invoices/<int:pk>/pdf/",
    "accounts/<slug:slug>/message/",
    "accounts/<slug:slug>/opt-outs/export/",
    "accounts/<slug:slug>/pace/",
    "accounts/<slug:slug>/statements/<str:month>/csv/",
    "accounts/<slug:slug>/statements/<str:month>/pdf/",
    "accounts/<slug:slug>/statements/year/<int:year>/csv/",
    "accounts/<slug:slug>/top-ups/<int:pk>/pay/",
    "accounts/<slug:slug>/top-ups/<int:pk>/pdf/",
    "accounts/<slug:slug>/top-ups/<int:pk>/state/",
    "accounts/<slug:slug>/usage/data/",
    "alerts/",
    "api/v1/docs/",
    "api/v1/docs/<slug:tag>/",
    "balance/",
    "batches/<int:batch_id>/failed/",
    "campaigns/",
    "chatbots/",
    "desks/<slug:slug>/forecast/csv/",
    "desks/<slug:slug>/messages/csv/",
    "desks/<slug:slug>/replay/board/",
    "desks/<slug:slug>/reports/csv/",
    "gates/<slug:slug>/samples/",
    "groups/<slug:slug>/events.csv",
    "groups/<slug:slug>/samples/",
    "imports/<int:import_id>/refused/",
    "invoices/",
    "join/accept/",
    "line/files/<str:signed>/",
    "login/closed/",
    "login/code/",
    "login/passkey/",
    "login/sign-on/",
    "login/sign-on/callback/",
    "logout/sign-on/",
    "messages/",
    "numbers/<number:value>/story/",
    "numbers/export/",
    "numbers/states/",
    "opt-outs/",
    "password/first/",
    "password/reset/done/",
    "payments/^process/(?P<variant>[a-z-]+)/$",
    "payments/events/<slug:variant>/",
    "payments/process/<uuid:token>/",
    "pools/<slug:slug>/samples/",
    "pools/<slug:slug>/sizing/",
    "pools/<slug:slug>/tiles/",
    "prices/",
    "search/",
    "security/app/remove/",
    "security/codes/",
    "security/confirm/",
    "security/confirm/passkey/",
    "security/confirm/password/",
    "security/confirm/sign-on/",
    "security/confirm/sign-on/start/",
    "security/passkeys/<int:pk>/",
    "security/passkeys/<int:pk>/remove/",
    "security/sign-on/",
    "security/sign-on/start/",
    "statements/",
    "templates/",
    "top-ups/",
    "usage/",
    "widget/<slug:slug>.js",
}


@dataclass
class Walk:
    """Where to go, as which user, and what was found there."""

    console: Console
    pages: dict[str, tuple[str, str]]  # each page once: name → (user, address)
    desktop: dict[str, tuple[str, str]]  # the same pages, by another role where several see one
    others: list[str]

    async def each(
        self, look: Callable[[Window], Awaitable[list[str]]], **options: Any
    ) -> dict[str, list[str]]:
        """Open every page, AT_ONCE at a time, and collect what `look` finds; {} if nothing."""
        found: dict[str, list[str]] = {}
        waiting: dict[str, list[str]] = {}
        for reader, address in self.pages.values():
            waiting.setdefault(reader, []).append(address)
        for reader, pages in waiting.items():
            async with self.context(reader, **options) as context:
                walks = [self._some(reader, pages, context, look, found) for _ in range(AT_ONCE)]
                await asyncio.gather(*walks)
        return found

    async def _some(
        self,
        reader: str,
        waiting: list[str],
        context: BrowserContext,
        look: Callable[[Window], Awaitable[list[str]]],
        found: dict[str, list[str]],
    ) -> None:
        page = await context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        shown = Window(page, self.console.base)
        while waiting:
            address = waiting.pop(0)
            await shown.go(address)
            await page.evaluate("document.fonts.ready")
            wrong = [*await look(shown), *shown.complaints]
            if wrong:
                found[f"{address} as {reader}"] = wrong
            shown.said.clear()

    @asynccontextmanager
    async def context(self, reader: str, **options: Any) -> AsyncIterator[BrowserContext]:
        """Yield a browser, by default a phone, in which this reader is logged in."""
        user = "" if reader == "nobody" else reader
        still = {"viewport": PHONE, "reduced_motion": "reduce"}
        async with self.console.window(user, **{**still, **options}) as shown:
            yield shown.page.context


@pytest.fixture(scope="module")
def walk(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walk]:
    """A console with the demo's data and one of each object of the table.

    Without a second factor, so that the pages of money open.
    """
    variables = {
        "POOLSITE_SECOND_FACTOR_FOR_MONEY": "0",
        "POOLSITE_PASSWORD_FRESH_SECONDS": "86400",  # nor does a page ask "is it you?"
        "POOLSITE_DEMO_PASSWORD": "not used here",
    }
    with running(browser, tmp_path_factory.mktemp("walk"), **variables) as console:
        told = console.stage("tests.browser.walk_stage")
        yield Walk(console, told["pages"], told["desktop"], told["others"])


async def test_the_walk_goes_everywhere_but_where_no_page_is(walk: Walk) -> None:
    assert len(walk.pages) >= FEWEST_PAGES
    assert sorted(set(walk.others) ^ NO_PAGES) == []


async def _unfit(shown: Window) -> list[str]:
    return [*await shown.overflow(), *await shown.page.evaluate(CROWDED)]


async def test_every_page_pleases_axe_in_chinese_in_the_light_and_fits_every_screen(
    walk: Walk,
) -> None:
    async def look(shown: Window) -> list[str]:
        wrong = [*await shown.violations(), *await _unfit(shown)]
        if await shown.page.evaluate("document.documentElement.lang") != "zh-hans":
            wrong.append("not in Chinese")
        if (size := await shown.page.evaluate(SCRIPT_SUM)) >= SCRIPT_BYTES:
            wrong.append(f"{size} bytes of script")
        for name, size in (("tablet", TABLET), ("phone", PHONE)):
            await shown.page.set_viewport_size(size)
            wrong += [f"{name}: {each}" for each in await _unfit(shown)]
        await shown.page.set_viewport_size(DESKTOP)  # for the next page
        return wrong

    readers = {reader for reader, _ in walk.desktop.values()}
    assert readers > {"operate", "owner", "agent"}
    every = replace(walk, pages=walk.desktop)
    found = await every.each(look, viewport=DESKTOP, locale="zh-CN", color_scheme="light")
    assert not found, json.dumps(found, indent=1)


@pytest.fixture
def long_walk(walk: Walk, tmp_path: Path) -> Iterator[Walk]:
    """The same pages in texts 40 % longer than the English ones."""
    long_words.write(tmp_path)
    environment = long_words.environment(tmp_path)
    site = walk.console.site
    server = WebServer(site, "uvicorn", APPLICATION, environment=environment).start()
    yield replace(walk, console=replace(walk.console, web=server))
    server.stop()


async def test_every_page_pleases_axe_in_the_dark_and_fits_a_phone_in_words_that_are_much_longer(
    long_walk: Walk,
) -> None:
    async def look(shown: Window) -> list[str]:
        titles.append(await shown.page.title())
        cut, squeezed = [await shown.page.evaluate(script) for script in (CUT, SQUEEZED)]
        return [*await shown.violations(), *await shown.overflow(), *cut, *squeezed]

    titles: list[str] = []
    found = await long_walk.each(look, locale="zh-CN", color_scheme="dark")
    assert not found, json.dumps(found, indent=1)
    assert any("Overviewover" in title for title in titles)


async def test_words_that_do_not_fit_would_be_seen(walk: Walk) -> None:
    async def look(shown: Window) -> list[str]:
        await shown.page.evaluate("document.querySelector('h1').textContent = 'w'.repeat(200)")
        await shown.page.evaluate("document.querySelector('h1').style.overflow = 'visible'")
        await shown.page.evaluate("document.querySelector('h1').style.overflowWrap = 'normal'")
        return [*await shown.overflow(), *await shown.page.evaluate(CUT)]

    one = {name: page for name, page in walk.pages.items() if name == "system/"}
    shortened = replace(walk, pages=one)
    assert await shortened.each(look, locale="en-GB") != {}


async def test_a_heading_and_a_table_without_room_would_be_seen(walk: Walk) -> None:
    async with walk.console.window("operate", viewport=TABLET) as shown:
        await shown.go("/system/")
        assert await _unfit(shown) == []
        await shown.page.evaluate("document.querySelector('h1').style.maxInlineSize = '20px'")
        await shown.page.evaluate("document.querySelector('.card table').style.inlineSize = '99vw'")
        heading, *tables = await shown.page.evaluate(CROWDED)
    assert "<h1" in heading
    assert ["<table" in each for each in tables] == [True]


async def test_the_admin_stays_within_its_script_as_it_travels(walk: Walk) -> None:
    async with walk.console.window("operate") as shown:
        for path in ("/admin/", "/admin/numbers/number/", "/admin/operations/incident/"):
            await shown.go(path)
            sizes = {}
            for address in await shown.page.evaluate(SOURCES):
                body = await (await shown.page.request.get(address)).body()
                sizes[address] = len(gzip.compress(body))
            assert 0 < sum(sizes.values()) < SCRIPT_BYTES, sizes


@pytest.mark.needs("cjk-fonts")
async def test_chinese_is_drawn_with_a_chinese_font(walk: Walk) -> None:
    async with walk.console.window("operate", viewport=PHONE, locale="zh-CN") as shown:
        await shown.go("/overview/")
        await shown.page.evaluate("document.fonts.ready")
        devtools = await shown.page.context.new_cdp_session(shown.page)
        for method in ("DOM.enable", "CSS.enable"):
            await devtools.send(method)
        root = (await devtools.send("DOM.getDocument"))["root"]["nodeId"]
        heading = {"nodeId": root, "selector": "h1"}
        node = (await devtools.send("DOM.querySelector", heading))["nodeId"]
        fonts = await devtools.send("CSS.getPlatformFontsForNode", {"nodeId": node})
        drawn = {each["familyName"]: each["glyphCount"] for each in fonts["fonts"]}
        text = await shown.text("h1")
    assert all("\u4e00" <= letter <= "\u9fff" for letter in text), text
    # The first font of the stack of tokens.css that this machine has, for every single glyph.
    assert drawn == {"Noto Sans CJK SC": len(text)}
