"""The whole story at once: two visitors on two sites, an agent and a supervisor, side by side."""

import time
from collections.abc import Iterator

import pytest
from playwright.async_api import Frame, Locator, expect

from integrations.simulator.shop import shop
from tests.browser.console import DESKTOP, PHONE, Window
from tests.browser.line_windows import PATIENCE_MS, go_online
from tests.browser.running import Console
from tests.browser.shop_windows import BADGE, BUBBLE, TEASER, chat_of, serving, shows
from tests.line import pictures
from tests.line.identity_tokens import token
from tests.support.processes import Process

pytestmark = [
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]
SECRET = "of the two shops, for this story"
PHOTO = {"name": "crack.png", "mimeType": "image/png", "buffer": pictures.png(64, 48)}
WHISPER = "Offer her a new one"


@pytest.fixture(scope="module")
def shops(console: Console) -> Iterator[dict[str, int]]:
    """Two sites with the same chat; at one of them the visitor is logged in."""
    ann = token(SECRET, sub="customer-77", name="Ann", exp=time.time() + 3_600)
    sites = {
        "kiln": shop(console.base, "glaze", identity=ann),
        "market": shop(console.base, "glaze"),
    }
    with serving(sites) as ports:
        yield ports


@pytest.fixture(scope="module")
def ticker(console: Console, shops: dict[str, int]) -> Iterator[Process]:
    """The desk of both sites, and the line's sweeps."""
    console.stage("tests.browser.line_stage")
    origins = [f"http://localhost:{port}" for port in shops.values()]
    console.stage("tests.browser.story_stage", SECRET, *origins)
    with console.program("tests.browser.line_ticker") as process:
        yield process


async def join(shown: Window, port: int, name: str) -> Frame:
    """Open the chat in a shop, and join the line in it."""
    await shown.page.goto(f"http://localhost:{port}/", wait_until="load")
    await shown.page.click(BUBBLE)
    chat = await chat_of(shown.page)
    await shows(chat, "join")
    await chat.fill("#visit-name", name)
    await shown.page.keyboard.press("Enter")
    await shows(chat, "waiting")
    return chat


async def says(chat: Frame, text: str) -> None:
    await chat.fill("#say", text)
    await chat.press("#say", "Enter")


async def has(at: Locator, text: str) -> None:
    await expect(at).to_contain_text(text, timeout=PATIENCE_MS)


async def supervise(boss: Window) -> None:
    """Listen to the agent's room, whisper, join, speak to both, and leave."""
    row = boss.page.locator("[data-agent]", has=boss.page.locator("th", has_text="Kang Le"))
    await has(row, "Ann")
    await row.locator(".row-menu").click()
    await boss.page.get_by_role("link", name="Listen to Ann").click()
    await boss.page.fill("#guest-text", WHISPER)
    await boss.page.get_by_role("button", name="Whisper to Kang Le").click()
    await boss.page.get_by_role("button", name="Join the room").click()
    send = boss.page.get_by_role("button", name="Send to both")
    await send.wait_for(timeout=PATIENCE_MS)
    await boss.page.fill("#guest-text", "We send a new one today.")
    await send.click()


async def test_two_visitors_on_two_sites_an_agent_and_a_supervisor(
    line: Console, agent: Window, shops: dict[str, int]
) -> None:
    async with (
        line.window(viewport=DESKTOP) as first,
        line.window(viewport=PHONE) as second,
        line.window("ouyang.qi", viewport=DESKTOP) as boss,
    ):
        # both wait; a text written meanwhile, and why no agent serves, are shown to the other side
        ann = await join(first, shops["kiln"], "Ann")
        ben = await join(second, shops["market"], "Ben")
        await has(ann.locator("[data-frame-line]"), "You're 1st")
        await has(ben.locator("[data-frame-line]"), "You're 2nd")
        await says(ann, "My pot came cracked.")
        await boss.go_live("/desks/ceramics/floor/?queue=glaze")
        waits = boss.page.locator("[data-visit-row]", has_text="Ann")
        await has(waits, "No agent of this queue is online")

        # the agent has one room: the first in line comes, verified, with her text
        await go_online(agent, "kang.le")
        await shows(ann, "room")
        await has(ben.locator("[data-frame-line]"), "You're 1st")
        room = agent.page.locator("[data-room]")
        await has(room.locator(".talk__row--theirs").first, "My pot came cracked.")
        await has(room.locator(".talk__head"), "Verified")
        await has(agent.page.locator("[data-line=glaze]"), "Ben")
        await ann.set_input_files("[data-composer] input[type=file]", [PHOTO])
        await ann.press("#say", "Enter")
        picture = room.locator(".talk__row--theirs .attachment--picture img")
        await expect(picture).to_be_visible(timeout=PATIENCE_MS)
        await room.locator(".talk__composer textarea").fill("Sorry about that.")
        await agent.page.keyboard.press("Enter")
        await has(ann.locator(".talk__row--theirs").last, "Sorry about that.")

        # the supervisor whispers only to the agent, then speaks to both
        await supervise(boss)
        await has(room.locator(".talk__row--whisper"), WHISPER)
        await has(ann.locator(".talk__row--theirs").last, "We send a new one today.")
        assert WHISPER not in await ann.content()
        await boss.page.get_by_role("button", name="Leave the room").click()
        await ann.locator(".talk__system", has_text="left the conversation").wait_for()

        # the room ends, is rated, and has an outcome; then the other visitor is served
        await agent.page.get_by_role("button", name="End room").click()
        await agent.page.click("[data-ask-go]")
        await shows(ann, "ended")
        await ann.click(".stars__one:nth-of-type(5)")
        await ann.click("[data-rating] .button")
        await ann.locator("[data-rating] > [role=status]").wait_for(timeout=PATIENCE_MS)
        await agent.page.get_by_label("Solved").check()
        await agent.shows(".wrap__said", "Saved")
        await ben.click(".frame-back")  # he reads the shop's page meanwhile
        await agent.page.keyboard.press("f")
        await has(second.page.locator(TEASER), "is here to help")
        await has(room.locator(".talk__head"), "Ben")
        await room.locator(".talk__composer textarea").fill("Hello Ben")
        await agent.page.keyboard.press("Enter")
        await expect(second.page.locator(BADGE)).to_have_text("1", timeout=PATIENCE_MS)
        await second.page.click(TEASER)
        await has(ben.locator(".talk__row--theirs").last, "Hello Ben")
        await ben.click("[data-menu=frame-menu]")
        await ben.click("[data-frame-end]")
        await ben.click("[data-ask-go]")
        await shows(ben, "ended")

        # the records that remain
        await boss.page.reload()
        facts = boss.page.locator("#story .facts")
        for part in ("customer-77", "Solved"):
            await has(facts, part)
        await has(boss.page.locator("#story-figures"), "5 of 5")
        assert [first.complaints, second.complaints, boss.complaints] == [[], [], []]
