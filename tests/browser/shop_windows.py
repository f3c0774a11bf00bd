"""The chat in a shop's page, for the browser tests: its parts, and shops that serve it."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import ThreadingHTTPServer

from playwright.async_api import Frame, Page

from tests.browser.line_windows import PATIENCE_MS

BUBBLE, PANEL, TEASER, BADGE = (
    f"poolsite-widget .{part}" for part in ("bubble", "panel", "teaser", "badge")
)


@contextmanager
def serving(shops: Mapping[str, ThreadingHTTPServer]) -> Iterator[dict[str, int]]:
    """Serve these shops.

    Yield the port of each. As `localhost` they are another site than the console.
    """
    for server in shops.values():
        threading.Thread(target=server.serve_forever, daemon=True).start()
    yield {name: server.server_port for name, server in shops.items()}
    for server in shops.values():
        server.shutdown()
        server.server_close()


async def chat_of(page: Page) -> Frame:
    """Return the visitor's page in the frame, once it is loaded."""
    element = await page.wait_for_selector(f"{PANEL} iframe", state="attached")
    assert element is not None
    frame = await element.content_frame()
    assert frame is not None
    await frame.wait_for_load_state("load")
    return frame


async def shows(frame: Frame, view: str) -> None:
    await frame.wait_for_selector(
        f'[data-visit][data-view="{view}"]', state="attached", timeout=PATIENCE_MS
    )
