"""What the chat on a tenant's site costs a visitor: `python -m tests.bench.widget_cost SHOP`.

SHOP is the address that a running demo prints. A Chromium with an empty cache opens it, opens
the chat, joins and waits for a minute, in a room where it is served at once. Reported: requests
and bytes on the wire (headers included) of each step, and the frames of the minute. The demo's
queue moves at its own pace, so the number of frames varies.
"""

import asyncio
import sys
from dataclasses import dataclass, fields
from typing import Any

from playwright.async_api import CDPSession, async_playwright

from tests.support.programs import chromium

WAIT_SECONDS = 60


@dataclass
class Cost:
    """What went over the wire since the last report."""

    requests: int = 0
    received: int = 0
    frames_in: int = 0
    frames_in_bytes: int = 0
    frames_out: int = 0
    frames_out_bytes: int = 0

    async def watch(self, devtools: CDPSession, shop: str) -> None:
        """Count everything except the shop's own traffic."""
        own: set[str] = set()

        def asked(event: dict[str, Any]) -> None:
            if event["request"]["url"].startswith((shop, "data:", "blob:")):
                own.add(event["requestId"])

        def finished(event: dict[str, Any]) -> None:
            if event["requestId"] not in own:
                self.requests += 1
                self.received += int(event["encodedDataLength"])

        def heard(event: dict[str, Any]) -> None:
            self.frames_in += 1
            self.frames_in_bytes += len(event["response"]["payloadData"].encode())

        def said(event: dict[str, Any]) -> None:
            self.frames_out += 1
            self.frames_out_bytes += len(event["response"]["payloadData"].encode())

        devtools.on("Network.requestWillBeSent", asked)
        devtools.on("Network.loadingFinished", finished)
        devtools.on("Network.webSocketFrameReceived", heard)
        devtools.on("Network.webSocketFrameSent", said)
        await devtools.send("Network.enable")

    def tell(self, step: str) -> None:
        """Print a row and reset the counters."""
        print(
            f"{step}: {self.requests} requests, {self.received / 1000:.1f} kB; frames in "
            f"{self.frames_in} ({self.frames_in_bytes} B), out {self.frames_out} "
            f"({self.frames_out_bytes} B)"
        )
        for each in fields(self):
            setattr(self, each.name, 0)


async def main(shop: str) -> None:
    """Play one visitor, from the shop's page to a minute of waiting."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium(),
            args=["--no-sandbox", "--disable-features=IsolateOrigins,site-per-process"],
        )
        page = await browser.new_page()
        page.set_default_timeout(240_000)  # a demo that has just started is busy
        cost = Cost()
        await cost.watch(await page.context.new_cdp_session(page), shop)
        await page.goto(shop, wait_until="load")
        await page.locator("poolsite-widget .bubble").wait_for()
        cost.tell("before it is opened")
        await page.click("poolsite-widget .bubble")
        chat = page.frame_locator("poolsite-widget iframe")
        await chat.locator("#visit-name").wait_for()
        await page.wait_for_timeout(2000)
        cost.tell("opened")
        await chat.locator("#visit-name").fill("Robin")
        await chat.locator("[data-join] .button--primary").click()
        await chat.locator("[data-when=waiting], [data-when=room]").filter(visible=True).wait_for()
        await page.wait_for_timeout(3000)
        cost.tell("joined")
        await page.wait_for_timeout(WAIT_SECONDS * 1000)
        cost.tell("a minute of waiting")
        view = await chat.locator("[data-visit]").get_attribute("data-view")
        print(f"then: {view}")
        await browser.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
