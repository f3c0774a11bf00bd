"""`make screenshots`: the main pages of a running demo as pictures, and how fast each opened.

Every page in both languages, both themes and both widths goes to var/screenshots, the few of
`pictures.KEPT` to docs/screenshots. Each page is opened with an empty cache, then again in the
same tab; a whole run writes the times to docs/reference/performance/pages.md. axe checks each
page, and any finding fails the run. SECONDS=300 lets the demo run longer first, so that the charts
have more to show; ADDRESS and POOLSITE_DEMO_PASSWORD take the pictures of a demo that is already
running; ONLY="group gate" takes some pages.
"""

import asyncio
import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from playwright.async_api import Browser, BrowserContext, Page
from playwright.async_api import Error as BrowserError

from tests.browser import paints
from tests.browser.console import chromium, violations
from tests.browser.pictures import KEPT, KEPT_BYTES, LANGUAGES, PAGES, VARIANTS, WINDOWS, Variant
from tests.house.source import ROOT
from tests.support.demo import DemoRun
from tests.support.needs import NEEDS

FOLDER = ROOT / "docs" / "screenshots"
ALL = ROOT / "var" / "screenshots"
SPEED = ROOT / "docs/reference/performance/pages.md"
SPEED_TEXT = """# How fast pages open

Written by `make screenshots`. First contentful paint, the longest task of the main thread and the
layout shift, as Chromium reports them, for each main page in both languages, themes and widths:
in a new browser with an empty cache, then in the same tab once it has the files, as when a person
follows the menu. The rows of pages show medians.

"""


@dataclass
class Taken:
    """The results: pages that did not open, how fast the others did, what axe found."""

    missing: list[str] = field(default_factory=list)
    count: int = 0
    loads: list[paints.Load] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)


@contextmanager
def demo() -> Iterator[tuple[str, str]]:
    """Yield the address and the password of a demo. End the demo if this program started it."""
    if address := os.environ.get("ADDRESS"):
        yield address.rstrip("/"), os.environ["POOLSITE_DEMO_PASSWORD"]
        return
    password = os.environ["POOLSITE_DEMO_PASSWORD"] = secrets.token_urlsafe(12)
    with tempfile.TemporaryDirectory() as folder:
        run = DemoRun(Path(folder)).start()
        try:
            run.ready()
            time.sleep(float(os.environ.get("SECONDS", "90")))
            yield f"http://127.0.0.1:{run.port}", password
        finally:
            run.end()


async def take(address: str, password: str) -> Taken:
    """Take every picture."""
    taken = Taken()
    only = os.environ.get("ONLY", "").split()
    async with chromium() as browser:
        states: dict[str, str] = {}
        for variant in VARIANTS:
            (ALL / variant.name).mkdir(parents=True, exist_ok=True)
            for name, path, user, script in PAGES:
                if only and name not in only:
                    continue
                context = await _context(browser, address, password, user, variant, states)
                await _picture(context, address, variant, (name, path, script), taken)
                await context.close()
    return taken


async def _picture(
    context: BrowserContext,
    address: str,
    variant: Variant,
    what: tuple[str, str, str],
    taken: Taken,
) -> None:
    name, path, script = what
    page = await context.new_page()
    answer = await page.goto(f"{address}{path}", wait_until="load")
    if answer is None or answer.status != 200:
        taken.missing.append(path)
        return
    await _settle(page, script)
    await page.screenshot(path=ALL / variant.name / f"{name}.png")
    taken.count += 1
    taken.loads.append(await paints.read(page, name, warm=False))
    await page.goto(f"{address}/healthz", wait_until="load")
    await page.goto(f"{address}{path}", wait_until="load")
    await _settle(page, "")
    taken.loads.append(await paints.read(page, name, warm=True))
    taken.violations += [f"{variant.name} {name}: {each}" for each in await violations(page)]


async def _context(
    browser: Browser,
    address: str,
    password: str,
    user: str,
    variant: Variant,
    states: dict[str, str],
) -> BrowserContext:
    """Return a browser context with an empty cache, in which `user` is logged in already."""
    context = await browser.new_context(
        locale=LANGUAGES[variant.language],
        timezone_id="Asia/Shanghai",
        viewport=WINDOWS[variant.window],
        color_scheme="dark" if variant.theme == "dark" else "light",
    )
    await paints.watch(context)
    if user and user not in states:
        states[user] = await _log_in(context, address, user, password)
    if user:
        await context.add_cookies([{"name": "session", "value": states[user], "url": address}])
    return context


async def _log_in(context: BrowserContext, address: str, user: str, password: str) -> str:
    page = await context.new_page()
    await page.goto(f"{address}/login/")
    await page.fill("[name=login]", user)
    await page.fill("[name=password]", password)
    await page.keyboard.press("Enter")
    await page.wait_for_url(lambda url: "/login" not in url)
    await page.close()
    return next(each["value"] for each in await context.cookies() if each["name"] == "session")


async def _settle(page: Page, script: str) -> None:
    """Wait until the fonts are loaded, the page is live and its charts are drawn."""
    await page.evaluate("document.fonts.ready")
    # A function: a plain expression that waits would be eval, which our own policy forbids.
    live = "() => document.querySelector('[data-live-badge]')?.dataset.state !== 'connecting'"
    try:
        await page.wait_for_function(live, timeout=5_000)
    except BrowserError:
        print(f"{page.url} was not live within 5 s")
    await page.wait_for_timeout(900)
    if script:
        await page.evaluate(script)
        await page.wait_for_timeout(900)


def keep() -> int:
    """Copy the pictures that the tree keeps. Return their size in bytes."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for file_name, page, variant in KEPT:
        source = ALL / variant.name / f"{page}.png"
        if source.is_file():
            shutil.copyfile(source, FOLDER / f"{file_name}.png")
    return sum(path.stat().st_size for path in FOLDER.glob("*.png"))


def told(taken: Taken) -> Iterator[str]:
    """Yield the report of the results, line by line."""
    for path in sorted(set(taken.missing)):
        yield f"{path} did not open, its picture stays as it was."
    yield f"{taken.count} pictures in {ALL.relative_to(ROOT)}/, axe found {len(taken.violations)}"
    yield from taken.violations
    yield from paints.table(taken.loads)


def write_speed(taken: Taken) -> None:
    """Write docs/reference/performance/pages.md again."""
    when = datetime.now(UTC).date().isoformat()
    lines = (*paints.table(taken.loads), "", paints.conditions(taken.loads, when))
    SPEED.write_text(SPEED_TEXT + "\n".join(lines) + "\n")


def main() -> int:
    """Take the pictures.

    Return 1 if a page did not open, axe found something, or KEPT is too large.
    """
    fonts = NEEDS["cjk-fonts"]
    if not fonts.present():
        print(f"Chinese would be drawn with boxes. First: {fonts.install}")
        return 1
    with demo() as (address, password):
        taken = asyncio.run(take(address, password))
    size = keep()
    if not os.environ.get("ONLY"):
        write_speed(taken)
    print("\n".join(told(taken)))
    print(f"{size / 1e6:.1f} MB in {FOLDER.relative_to(ROOT)}/, at most {KEPT_BYTES / 1e6:.1f}")
    return 1 if taken.missing or taken.violations or size > KEPT_BYTES else 0


if __name__ == "__main__":
    raise SystemExit(main())
