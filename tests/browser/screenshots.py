"""`make screenshots`: the main pages of a running demo, as pictures in docs/screenshots/.

SECONDS=300 lets the demo run longer first, so that the charts have more to show; ADDRESS and
POOLSITE_DEMO_PASSWORD take the pictures of a demo that runs already.
"""

import asyncio
import os
import secrets
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.async_api import Browser, BrowserContext, Page

from tests.browser.console import DESKTOP, PHONE, chromium
from tests.house.source import ROOT
from tests.support.demo import DemoRun

FOLDER = ROOT / "docs" / "screenshots"
POOL = "/pools/retail-east/"
BALANCE = "/accounts/evergreen/"
CHOOSE_A_TILE = "document.querySelector('.tile[data-state=\"C\"]')?.click()"

# file name, page, theme, window, what is clicked first
PICTURES = (
    ("overview", "/overview/", "light", DESKTOP, ""),
    ("overview-dark", "/overview/", "dark", DESKTOP, ""),
    ("overview-phone", "/overview/", "light", PHONE, ""),
    ("pools", "/pools/", "light", DESKTOP, ""),
    ("pool-live", POOL, "light", DESKTOP, CHOOSE_A_TILE),
    ("pool-live-dark", POOL, "dark", DESKTOP, CHOOSE_A_TILE),
    ("pool-live-phone", POOL, "light", PHONE, ""),
    ("numbers", "/numbers/", "light", DESKTOP, ""),
    ("imports", "/imports/", "light", DESKTOP, ""),
    ("system", "/system/", "light", DESKTOP, ""),
    ("balance", BALANCE, "light", DESKTOP, ""),
    ("balance-dark", BALANCE, "dark", DESKTOP, ""),
    ("balance-phone", BALANCE, "light", PHONE, ""),
    ("accounts", "/billing/accounts/", "light", DESKTOP, ""),
    ("explain", f"{BALANCE}explain/spendable/", "light", DESKTOP, ""),
    ("money-audit", "/billing/audit/", "light", DESKTOP, ""),
)


@contextmanager
def demo() -> Iterator[tuple[str, str]]:
    """Give the address and the password of a demo; ends it when it was ours."""
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


async def take(address: str, password: str) -> list[str]:
    """Take every picture; returns the paths that could not be opened."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    missing = []
    async with chromium() as browser:
        context = await _logged_in(browser, address, password)
        for name, path, theme, size, script in PICTURES:
            page = await context.new_page()
            await page.set_viewport_size(size)  # type: ignore[arg-type]
            await page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
            answer = await page.goto(f"{address}{path}", wait_until="load")
            if answer is None or answer.status != 200:
                missing.append(path)
            else:
                await _settle(page, script)
                await page.screenshot(path=FOLDER / f"{name}.png")
            await page.close()
    return missing


async def _logged_in(browser: Browser, address: str, password: str) -> BrowserContext:
    context = await browser.new_context(locale="en-GB", timezone_id="Asia/Shanghai")
    page = await context.new_page()
    await page.goto(f"{address}/login/")
    await page.fill("[name=username]", "lin.mei")
    await page.fill("[name=password]", password)
    await page.keyboard.press("Enter")
    await page.wait_for_url(lambda url: "/login" not in url)
    await page.close()
    return context


async def _settle(page: Page, script: str) -> None:
    """Until the fonts are there, the page is live and its charts are drawn."""
    await page.evaluate("document.fonts.ready")
    await page.wait_for_timeout(2_500)
    if script:
        await page.evaluate(script)
        await page.wait_for_timeout(1_500)


def main() -> int:
    """Take the pictures; 1 when a page did not open."""
    with demo() as (address, password):
        missing = asyncio.run(take(address, password))
    for path in missing:
        print(f"{path} did not open, its picture stays as it was.")
    print(f"{len(PICTURES) - len(missing)} pictures in {FOLDER.relative_to(ROOT)}/")
    return 1 if missing else 0


if __name__ == "__main__":
    raise SystemExit(main())
