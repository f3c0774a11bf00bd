"""The agent's page in a real browser: slots, drafts, transfer, saved replies, read receipts."""

from dataclasses import dataclass

import httpx
import pytest
from playwright.async_api import Locator, WebSocketRoute, expect

from tests.browser.console import PHONE, Window
from tests.browser.line_windows import PATIENCE_MS, go_online, view
from tests.browser.running import Console

pytestmark = [
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.usefixtures("studio"),
]
SEEN = "[data-room]:not([data-behind])"
FIELD = f"{SEEN} textarea"


@pytest.fixture
def studio(line: Console) -> None:
    """The desk of console_stage.py."""
    line.stage("tests.browser.console_stage")


@dataclass
class Caller:
    """A visitor without a page."""

    console: Console
    queue: str
    name: str
    token: str = ""
    visit: str = ""

    async def join(self) -> "Caller":
        told = await self._post(f"queues/{self.queue}/join", {"name": self.name, "topic": "Bill"})
        self.token, self.visit = told["token"], told["visit"]
        return self

    async def say(self, text: str) -> None:
        await self._post(f"visits/{self.visit}/messages", {"id": text, "text": text})

    async def leave(self) -> None:
        await self._post(f"visits/{self.visit}/leave", {})

    async def _post(self, path: str, body: dict[str, str]) -> dict[str, str]:
        given = self.console.api(self.token)
        if not self.token:
            del given["headers"]
        async with httpx.AsyncClient(**given) as client:
            answer = await client.post(f"/api/v1/{path}", json=body)
        assert answer.status_code == 200, answer.text
        told: dict[str, str] = answer.json()
        return told


async def comes(line: Console, shown: Window, queue: str, name: str) -> Caller:
    """Return a visitor who is in a room of the page."""
    caller = await Caller(line, queue, name).join()
    await shown.page.locator(".slot", has_text=name).wait_for(timeout=PATIENCE_MS)
    return caller


def slot(shown: Window, number: int) -> Locator:
    return shown.page.locator(".slots > li").nth(number - 1)


async def has(place: Locator, text: str) -> None:
    await expect(place).to_contain_text(text, timeout=PATIENCE_MS)


async def has_value(place: Locator, text: str) -> None:
    await expect(place).to_have_value(text, timeout=PATIENCE_MS)


async def test_a_new_message_does_not_move_a_reader_who_scrolled_up(
    line: Console, agent: Window
) -> None:
    await go_online(agent, "mu.lan")
    caller = await comes(line, agent, "long", "Reader")
    for number in range(30):
        await caller.say(f"line {number}")
    messages = agent.page.locator(f"{SEEN} .talk__list")
    jump = agent.page.locator(f"{SEEN} .talk__jump")
    await has(messages, "line 29")
    await expect(jump).to_be_hidden()
    await messages.evaluate("list => { list.scrollTop = 0; }")
    await caller.say("the newest")
    await expect(jump).to_be_visible(timeout=PATIENCE_MS)
    assert await messages.evaluate("list => list.scrollTop") == 0
    await jump.click()
    await expect(messages.get_by_text("the newest")).to_be_in_viewport()
    await expect(jump).to_be_hidden()
    await caller.leave()


async def test_messages_stand_in_their_order_though_an_answer_comes_before_a_frame(
    line: Console, agent: Window
) -> None:
    held: list[tuple[WebSocketRoute, str | bytes]] = []
    holds = False

    def hold(page: WebSocketRoute) -> None:
        server = page.connect_to_server()
        server.on_message(lambda text: held.append((page, text)) if holds else page.send(text))

    await agent.page.route_web_socket("**/ws/live/", hold)
    await go_online(agent, "ning.meng")
    caller = await comes(line, agent, "ordered", "Reader")
    words = agent.page.locator(f"{SEEN} .talk__row:not(.talk__row--sending) .talk__words")
    await caller.say("one")
    await expect(words).to_have_text(["one"], timeout=PATIENCE_MS)
    holds = True
    await caller.say("two")
    await agent.page.fill(FIELD, "three")
    await agent.page.press(FIELD, "Enter")
    await expect(words).to_have_text(["one", "three"], timeout=PATIENCE_MS)
    holds = False
    for page, text in held:
        page.send(text)
    await expect(words).to_have_text(["one", "two", "three"], timeout=PATIENCE_MS)

    await agent.page.route("**/agent/notes", lambda route: route.abort())
    await agent.page.fill(FIELD, "owes us money")
    await agent.page.check(f"{SEEN} .check input")
    await agent.page.press(FIELD, "Enter")
    await has_value(agent.page.locator(FIELD), "owes us money")  # it could not be saved
    await expect(agent.page.locator(f"{SEEN} .check input")).to_be_checked()
    await caller.leave()


async def test_rooms_keep_their_slots_and_drafts_and_nothing_jumps(
    agent: Window, line: Console
) -> None:
    await go_online(agent, "an.ning")
    await comes(line, agent, "slots", "Chen Yi")
    marta = await comes(line, agent, "slots", "Marta Rossi")
    hua = await comes(line, agent, "slots", "Li Hua")
    await has(agent.page.locator(f"{SEEN} h2"), "Chen Yi")  # the later ones did not take the focus
    await agent.page.fill(FIELD, "half a sent")
    await agent.page.press(FIELD, "Escape")
    await agent.page.keyboard.press("2")
    await has(agent.page.locator(f"{SEEN} h2"), "Marta Rossi")
    await has_value(agent.page.locator(FIELD), "")
    await agent.page.check(f"{SEEN} .check input")
    await agent.page.fill(FIELD, "pays by invoice")
    await hua.say("Anybody there?")
    await has(slot(agent, 3), "1 new")
    await has(slot(agent, 3), "Anybody there?")
    await agent.page.reload()  # slots, drafts and unread marks survive a reload
    await has(agent.page.locator(f"{SEEN} h2"), "Marta Rossi")
    await has(slot(agent, 1), "Chen Yi")
    await has(slot(agent, 3), "1 new")
    await has_value(agent.page.locator(FIELD), "pays by invoice")
    await expect(agent.page.locator(f"{SEEN} .check input")).to_be_checked()
    await agent.page.press(FIELD, "Escape")
    await agent.page.keyboard.press("1")
    await has_value(agent.page.locator(FIELD), "half a sent")
    assert await agent.violations() == []

    await agent.page.fill(FIELD, "")
    await marta.leave()
    await has(slot(agent, 2), "Room with Marta Rossi ended at")
    await has(slot(agent, 1), "Chen Yi")
    await has(slot(agent, 3), "Li Hua")
    await agent.page.press(FIELD, "Escape")
    await agent.page.keyboard.press("3")
    await has(agent.page.locator(f"{SEEN} h2"), "Li Hua")
    await expect(slot(agent, 3)).not_to_contain_text("1 new")
    await comes(line, agent, "slots", "Olga")
    await has(slot(agent, 2), "Olga")
    await has(agent.page.locator(f"{SEEN} h2"), "Li Hua")
    await agent.page.set_viewport_size(PHONE)
    await agent.page.get_by_role("button", name="1 Chen Yi").click()
    await has(agent.page.locator(f"{SEEN} h2"), "Chen Yi")
    assert await agent.overflow() == []
    assert await agent.violations() == []


async def test_a_visitor_is_transferred_by_the_keyboard_to_somebody_who_is_free(
    agent: Window, line: Console
) -> None:
    await go_online(agent, "du.juan")
    await comes(line, agent, "handing", "Pia")
    await agent.page.press(FIELD, "Escape")
    await agent.page.keyboard.press("t")
    popover = agent.page.get_by_role("dialog", name="Transfer")
    free = popover.get_by_role("option", name="Fei Fei")
    await has(free, "Free · 0 of 3")
    await has(free, "Delivery 3")
    full = popover.get_by_role("option", name="Gu Gu")
    await has(full, "Full · 1 of 1")
    await full.click(force=True)
    go = popover.locator(".transfer__foot button")
    await expect(go).to_have_text("Transfer to Fei Fei")
    assert await agent.violations() == []
    await agent.page.keyboard.press("ArrowUp")
    await expect(go).to_have_text("Transfer to Wrapping")  # the last of the queues
    await agent.page.keyboard.type("parc")
    await expect(go).to_have_text("Transfer to Parcels")
    await agent.page.keyboard.press("Escape")
    await expect(popover).to_be_hidden()
    await expect(agent.page.get_by_role("button", name="Transfer")).to_be_focused()
    await agent.page.keyboard.press("t")
    await has(free, "Free")
    await agent.page.click("[data-pause-button]")  # one popup at a time
    await expect(popover).to_be_hidden()
    await agent.page.keyboard.press("Escape")
    await agent.page.keyboard.press("t")
    await agent.page.keyboard.type("fei")
    await expect(go).to_have_text("Transfer to Fei Fei")
    await agent.page.keyboard.press("Enter")
    await has(slot(agent, 1), "Room with Pia ended at")
    await comes(line, agent, "handing", "Rui")
    await agent.page.press(FIELD, "Escape")
    await agent.page.keyboard.press("t")
    await has(free, "Free · 1 of 3")


async def test_a_slash_brings_replies_and_enter_inserts_them_with_what_the_room_knows(
    agent: Window, line: Console
) -> None:
    await go_online(agent, "hua.mei")
    await comes(line, agent, "replies", "Sol")
    field = agent.page.locator(FIELD)
    options = agent.page.get_by_role("option")
    await field.press_sequentially("and/or /re")
    assert await agent.violations() == []
    await expect(options.nth(0)).to_contain_text("/receipt")  # in order of their names
    await expect(options.nth(1)).to_contain_text("/refund-days")
    await field.press("ArrowDown")
    await field.press("ArrowUp")
    await field.press("Enter")
    await has_value(field, "and/or Hello Sol, Hua Mei sends the receipt of order {order}.")
    await field.press_sequentially("77")  # typed over the placeholder that had no value
    await has_value(field, "and/or Hello Sol, Hua Mei sends the receipt of order 77.")
    assert await agent.page.locator(f"{SEEN} .talk__row--mine").count() == 0
    await field.press("Enter")
    await has(agent.page.locator(f"{SEEN} .talk__row--mine"), "order 77.")

    await field.press_sequentially("/etc")
    await expect(options).to_have_count(0)  # no reply matches
    await field.fill("")
    await field.press_sequentially("/working")  # in the middle of the text
    await expect(options).to_have_count(1)
    await field.press("Tab")
    await has_value(field, "A refund reaches your bank in 3 to 5 working days.")
    await field.fill("")
    await agent.page.get_by_role("button", name="Replies", exact=True).click()
    await expect(options).to_have_count(104)
    await field.press("Escape")
    await expect(options).to_have_count(0)
    await expect(field).to_be_focused()
    await has_value(field, "/")


async def test_each_side_sees_what_the_other_has_read(
    visitor: Window, agent: Window, line: Console
) -> None:
    await go_online(agent, "ju.hua")
    await visitor.go("/q/reading/")
    await visitor.page.fill("#visit-name", "Tam")
    await visitor.page.keyboard.press("Enter")
    await view(visitor.page, "room")
    await visitor.page.evaluate("document.hasFocus = () => false")
    await agent.page.fill(FIELD, "Hello")
    await agent.page.press(FIELD, "Enter")
    mine = agent.page.locator(f"{SEEN} .talk__row--mine .talk__receipt")
    await has(visitor.page.locator(".talk__row--theirs"), "Hello")
    await has(mine, "Sent")
    await visitor.page.evaluate("delete document.hasFocus; dispatchEvent(new Event('focus'))")
    await has(mine, "Read ")
    await visitor.page.fill("#say", "I am here")
    await visitor.page.keyboard.press("Enter")
    theirs = visitor.page.locator(".talk__row--mine .talk__receipt")
    await has(theirs, "Read ")
    await comes(line, agent, "reading", "Una")
    await agent.page.press(FIELD, "Escape")
    await agent.page.keyboard.press("2")  # Tam's room is no longer visible
    await visitor.page.fill("#say", "Still here")
    await visitor.page.keyboard.press("Enter")
    await has(theirs.last, "Sent")
    await has(slot(agent, 1), "1 new")
    for shown in (visitor, agent):
        await shown.page.reload()
    await has(theirs.last, "Sent")
    await has(theirs.first, "Read ")
    await agent.page.press(FIELD, "Escape")
    await agent.page.keyboard.press("1")
    await expect(theirs).to_have_count(1)
    await has(theirs, "Read ")
    await has(mine, "Read ")
    assert await visitor.violations() == []


async def test_a_wrap_up_keeps_the_slot_and_notifications_are_asked_for_until_not_now(
    agent: Window, line: Console
) -> None:
    await agent.page.add_init_script(
        """Object.defineProperty(Notification, "permission", { get: () => "default" });
        Notification.requestPermission = async () => "default";"""
    )
    await go_online(agent, "lan.hua")
    banner = agent.page.get_by_role("region", name="Notifications")
    await has(banner, "Notifications are turned off.")
    assert await agent.violations() == []
    await agent.page.get_by_role("button", name="Not now").click()
    await expect(banner).to_be_hidden()
    await agent.page.reload()
    await agent.page.wait_for_selector("[data-agent-state].chip--ok")
    await expect(banner).to_be_hidden()

    wen = await comes(line, agent, "wrapping", "Wen")
    await comes(line, agent, "wrapping", "Xia")
    await wen.leave()
    await has(slot(agent, 1), "Wrap-up")
    await agent.page.reload()
    await has(slot(agent, 1), "Wrap-up")
    await has(slot(agent, 1), "Wen")
    await has(slot(agent, 2), "Xia")
    await agent.page.get_by_role("button", name="Finish wrap-up").click()
    await has(slot(agent, 1), "Room with Wen ended at")
    await has(slot(agent, 2), "Xia")
