"""Files of rooms in a real browser: chosen, dropped, pasted, sent by both sides, sent again."""

import asyncio

import pytest
from playwright.async_api import Page, Route, expect

from tests.browser.console import DESKTOP, PHONE, Window
from tests.browser.line_windows import PATIENCE_MS, go_online, view
from tests.line import pictures

pytestmark = [
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]
PHOTO = {"name": "crack.png", "mimeType": "image/png", "buffer": pictures.png(640, 400)}
BILL = {"name": "bill 7731.pdf", "mimeType": "application/pdf", "buffer": pictures.PDF}
UPLOADS = "**/api/v1/visits/*/attachments"
# What a person drops or pastes: the browser gives a page no other way to create it.
GIVE = """([kind, selector, name, size]) => {
  const data = new DataTransfer();
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size;
  canvas.getContext("2d").fillRect(0, 0, size, size);
  const bytes = Uint8Array.from(atob(canvas.toDataURL().split(",")[1]), (c) => c.charCodeAt(0));
  data.items.add(new File([bytes], name, {type: "image/png"}));
  const target = document.querySelector(selector);
  const init = {bubbles: true, cancelable: true};
  target.dispatchEvent(kind === "paste"
    ? new ClipboardEvent("paste", {...init, clipboardData: data})
    : new DragEvent(kind, {...init, dataTransfer: data}));
}"""


async def shown(page: Page, selector: str) -> None:
    """Check that the picture is shown, and that it is a valid one."""
    picture = page.locator(selector)
    await picture.wait_for(timeout=PATIENCE_MS)
    await expect(picture).not_to_have_js_property("naturalWidth", 0)


async def test_both_sides_send_files_and_see_each_others(visitor: Window, agent: Window) -> None:
    await go_online(agent, "xu.ting")
    await visitor.go("/q/photos/")
    await visitor.page.fill("#visit-name", "Pia")
    await visitor.page.keyboard.press("Enter")
    await view(visitor.page, "room")

    # the visitor: a photo and a bill with text, previewed before they are sent
    tray = visitor.page.locator(".tray__one")
    await visitor.page.set_input_files("[data-composer] input[type=file]", [PHOTO, BILL])
    await expect(tray).to_have_count(2)
    await visitor.page.wait_for_selector(".tray__one canvas", timeout=PATIENCE_MS)
    await visitor.page.get_by_role("button", name="Remove bill 7731.pdf").click()
    await expect(tray).to_have_count(1)
    assert await visitor.overflow() == []
    assert await visitor.violations() == []
    await visitor.page.set_input_files("[data-composer] input[type=file]", [BILL])
    await visitor.page.fill("#say", "It came with a crack")
    await visitor.page.keyboard.press("Enter")
    await expect(tray).to_have_count(0)
    await shown(agent.page, ".talk__row--theirs .attachment--picture img")
    await expect(agent.page.locator(".talk__row--theirs .talk__words")).to_have_text(
        "It came with a crack"
    )
    row = agent.page.locator(".talk__row--theirs .attachment--file")
    await row.wait_for(timeout=PATIENCE_MS)
    await expect(row).to_contain_text("bill 7731.pdf")
    await shown(visitor.page, ".talk__row--mine .attachment--picture img")
    assert await agent.violations() == []
    async with agent.page.expect_download(timeout=PATIENCE_MS) as saving:
        await row.click()
    saved = await saving.value
    assert saved.suggested_filename == "bill 7731.pdf"
    assert (await saved.path()).read_bytes() == pictures.PDF

    # the agent: dropped, and pasted; a picture opens in a separate page
    field = "[data-room] .talk__composer textarea"
    await agent.page.evaluate(GIVE, ["dragover", field, "x.png", 4])
    await agent.page.wait_for_selector(".drop-here")
    await agent.page.evaluate(GIVE, ["drop", field, "dropped.png", 40])
    await agent.page.evaluate(GIVE, ["paste", field, "pasted.png", 50])
    await expect(agent.page.locator(".tray__one")).to_have_count(2)
    await expect(agent.page.locator(".drop-here")).to_have_count(0)
    assert await agent.overflow() == []
    await agent.page.get_by_role("button", name="Send", exact=True).click()
    theirs = visitor.page.locator(".talk__row--theirs .attachment--picture img")
    await expect(theirs).to_have_count(2, timeout=PATIENCE_MS)
    await expect(theirs.first).to_have_attribute("alt", "Picture dropped.png")
    await expect(theirs.last).to_have_attribute("alt", "Picture pasted.png")
    async with visitor.page.context.expect_page(timeout=PATIENCE_MS) as opening:
        await theirs.last.click()
    picture = await opening.value
    await picture.wait_for_load_state()
    assert await picture.evaluate("document.images[0].naturalWidth") == 50
    await picture.close()

    # both are there after a reload
    await visitor.page.reload()
    await view(visitor.page, "room")
    await expect(visitor.page.locator(".attachment--picture img")).to_have_count(3)
    await shown(visitor.page, ".talk__row--mine .attachment--picture img")
    await visitor.page.set_viewport_size(DESKTOP)
    assert await visitor.overflow() == []
    await agent.page.set_viewport_size(PHONE)
    assert await agent.overflow() == []
    assert await agent.violations() == []


async def test_a_file_that_cannot_be_sent_says_why_and_is_sent_again(
    visitor: Window, agent: Window
) -> None:
    await go_online(agent, "fan.yi")
    await visitor.go("/q/papers/")
    await visitor.page.fill("#visit-name", "Quinn")
    await visitor.page.keyboard.press("Enter")
    await view(visitor.page, "room")
    page, give = visitor.page, "[data-composer] input[type=file]"

    await page.set_input_files(
        give, [{"name": "x.svg", "mimeType": "image/svg+xml", "buffer": pictures.SVG}]
    )
    await visitor.contains(".tray__error", "x.svg can't be sent")
    await page.set_input_files(
        give, [{"name": "big.png", "mimeType": "image/png", "buffer": bytes(11 * 2**20)}]
    )
    await visitor.contains(".tray__error", "big.png is too large (11.0 MB). The limit is 10 MB.")
    assert await visitor.violations() == []

    # delayed: it shows a bar, texts are not delayed by it, and leaving asks first
    go = asyncio.Event()

    async def holds(route: Route) -> None:
        if route.request.method != "POST":
            return await route.continue_()
        await go.wait()
        return await route.abort()

    await page.route(UPLOADS, holds)
    await page.set_input_files(give, [PHOTO])
    await page.keyboard.press("Enter")
    going = page.locator(".talk__row--sending")
    await going.locator("progress").wait_for(timeout=PATIENCE_MS)
    await page.fill("#say", "One moment")
    await page.keyboard.press("Enter")
    said = agent.page.locator(".talk__row--theirs .talk__words", has_text="One moment")
    await said.wait_for(timeout=PATIENCE_MS)
    leaving = "!dispatchEvent(new Event('beforeunload', {cancelable: true}))"
    assert await page.evaluate(leaving)  # it asks
    go.set()
    await visitor.contains(".attachment__failed", "Not sent. Can't reach the server.")
    assert await visitor.overflow() == []
    assert await visitor.violations() == []
    await page.unroute(UPLOADS)
    await page.get_by_role("button", name="Try again").click()
    await shown(page, ".talk__row--mine .attachment--picture img")
    await shown(agent.page, ".talk__row--theirs .attachment--picture img")
    await expect(going).to_have_count(0)

    # what only looks like a picture is refused by the server; an upload under way can be cancelled
    fake = {"name": "fake.png", "mimeType": "image/png", "buffer": pictures.HTML}
    await page.set_input_files(give, [fake])
    await page.keyboard.press("Enter")
    await visitor.contains(".attachment__failed", "Send a JPEG, PNG, GIF or WebP picture, or a PDF")
    await going.get_by_role("button", name="Remove").click()
    await expect(going).to_have_count(0)
    await page.route(UPLOADS, lambda route: asyncio.sleep(0))
    await page.set_input_files(give, [PHOTO])
    await page.keyboard.press("Enter")
    await going.get_by_role("button", name="Cancel").click()
    await expect(going).to_have_count(0)
    await page.unroute(UPLOADS)
    assert not await page.evaluate(leaving)
    await page.click("[data-end]")
    await page.click("[data-ask-go]")
    await view(page, "ended")
