"""Calling back in a real browser: the visitor of a room, and one who left a message."""

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.async_api import WebSocketRoute, expect

from tests.browser.console import DESKTOP, PHONE, Window
from tests.browser.line_windows import PATIENCE_MS, go_offline, go_online, view
from tests.browser.running import Console

pytestmark = [
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]
CALLEE = "+8613900001111"
BAR = "[data-room] .room__call"


async def test_an_agent_calls_the_visitor_of_a_room_back_by_the_keyboard(
    visitor: Window, agent: Window
) -> None:
    await go_online(agent, "cai.xin")
    await visitor.go("/q/hotline/")
    await visitor.page.fill("#visit-name", "Di")
    await visitor.page.keyboard.press("Enter")
    await view(visitor.page, "room")
    field = agent.page.get_by_label("Number to call")
    await field.fill("not a number")
    await field.press("Enter")
    await agent.page.get_by_text(
        "Enter the number to call: digits, with an optional + in front."
    ).wait_for(timeout=PATIENCE_MS)
    await field.fill("+86 139 0000-1111")
    await field.press("Enter")
    running = agent.page.locator(f"{BAR} strong", has_text=f"Call {CALLEE} from +86138")
    await running.wait_for(timeout=PATIENCE_MS)
    taken = await running.inner_text()
    assert await agent.violations() == []
    await agent.page.set_viewport_size(PHONE)
    assert await agent.overflow() == []
    assert await agent.violations() == []
    await agent.page.reload()
    await running.wait_for(timeout=PATIENCE_MS)  # it belongs to the room, not the page
    await expect(running).to_have_text(taken)
    await agent.page.get_by_role("button", name="End call").focus()
    await agent.page.keyboard.press("Enter")
    await field.wait_for(timeout=PATIENCE_MS)
    await field.fill(CALLEE)
    await field.press("Enter")
    await running.wait_for(timeout=PATIENCE_MS)
    await visitor.page.click("[data-end]")
    await visitor.page.click("[data-ask-go]")
    await view(visitor.page, "ended")
    await agent.page.wait_for_selector(BAR, state="detached", timeout=PATIENCE_MS)
    await go_offline(agent)


@dataclass
class LateSql:
    """A live connection on which SQL is late: the agent's rooms arrive without SQL's data."""

    is_late: bool = True
    last: dict[str, Any] = field(default_factory=dict)
    socket: WebSocketRoute | None = None

    async def open(self, socket: WebSocketRoute) -> None:
        self.socket = socket
        socket.connect_to_server().on_message(self.pass_on)

    def pass_on(self, message: str | bytes) -> None:
        frame = json.loads(message)
        if frame.get("topic", "").startswith("line.agent:") and "data" in frame:
            self.last = json.loads(message)
            for slot in frame["data"]["slots"] if self.is_late else ():
                for name in ("name", "topic", "joined", "contact", "queue"):
                    slot.pop(name, None)
        assert self.socket is not None
        self.socket.send(json.dumps(frame))

    def catch_up(self) -> None:
        """Send what was held back, as a change."""
        self.is_late = False
        version = self.last.get("to", self.last.get("version"))
        assert self.socket is not None
        self.socket.send(json.dumps({**self.last, "op": "change", "from": version, "to": version}))


async def test_what_is_being_typed_stays_when_the_visitors_name_comes(
    visitor: Window, agent: Window
) -> None:
    late = LateSql()
    await agent.page.route_web_socket("**/ws/live/", late.open)
    await go_online(agent, "cai.xin")
    await visitor.go("/q/hotline/")
    await visitor.page.fill("#visit-name", "Mia")
    await visitor.page.keyboard.press("Enter")
    await view(visitor.page, "room")
    room = agent.page.get_by_role("region", name="Room with Visitor")
    number = room.get_by_label("Number to call")
    await number.fill("+86 139")
    await room.get_by_label("Message to Visitor").fill("Good mor")
    await number.focus()
    late.catch_up()
    named = agent.page.get_by_role("region", name="Room with Mia")
    await named.get_by_role("heading", name="Mia", exact=True).wait_for(timeout=PATIENCE_MS)
    await expect(named.get_by_label("Number to call")).to_have_value("+86 139")
    await expect(named.get_by_label("Number to call")).to_be_focused()
    await expect(named.get_by_label("Message to Mia")).to_have_value("Good mor")
    await expect(named.get_by_role("group", name="Call Mia back")).to_be_visible()
    await visitor.page.click("[data-end]")
    await visitor.page.click("[data-ask-go]")
    await view(visitor.page, "ended")
    await go_offline(agent)


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desk", "phone"])
async def test_an_agent_calls_back_who_left_a_message(line: Console, size: dict[str, int]) -> None:
    async with line.window("cai.xin", viewport=size) as shown:
        await shown.go("/desks/care/messages/?queue=help")
        row = shown.page.locator("tr", has_text="Zoe").first
        await row.get_by_role("button", name="Call back").click()
        running = row.get_by_text("Call 13800001111 from +86138")
        await running.wait_for(timeout=PATIENCE_MS)
        assert await shown.overflow() == []
        assert await shown.violations() == []
        await row.get_by_role("button", name="End call").click()
        await row.get_by_role("button", name="Call back").wait_for(timeout=PATIENCE_MS)
        await expect(running).to_have_count(0)
