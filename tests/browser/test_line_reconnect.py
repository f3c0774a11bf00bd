"""The line in a real browser when a server restarts, or Redis has lost everything."""

from collections.abc import Iterator

import pytest
from playwright.async_api import Browser

from tests.browser.console import Window
from tests.browser.line_windows import (
    PATIENCE_MS,
    go_online,
    join,
    other_visitor,
    place,
    view,
    words_in,
)
from tests.browser.running import Console, running

pytestmark = [
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]


@pytest.fixture(scope="module")
def line(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    """A separate console: its server ends, and its Redis is emptied."""
    with running(browser, tmp_path_factory.mktemp("line")) as console:
        console.stage("tests.browser.line_stage")
        with console.program("tests.browser.line_ticker"):
            yield console


async def join_room(visitor: Window, name: str) -> None:
    """Join the queue of the patient desk, whose agent is free."""
    await visitor.go("/q/refunds/")
    await visitor.page.fill("#visit-name", name)
    await visitor.page.keyboard.press("Enter")
    await view(visitor.page, "room")


# First: its desk is a patient one, and after a loss would wait two minutes before it matches.
async def test_a_room_goes_on_when_the_web_process_restarts(
    visitor: Window, agent: Window, line: Console
) -> None:
    """Visitor and agent reconnect automatically; no message is lost or shown twice."""
    await go_online(agent, "luo.jing")
    await join_room(visitor, "Di")
    await agent.page.wait_for_selector("[data-room] .talk__list")
    fields = {id(visitor): "#say", id(agent): "[data-room] textarea"}
    sides = ((visitor, agent), (agent, visitor))

    async def say(who: Window, text: str) -> None:
        await who.page.fill(fields[id(who)], text)
        await who.page.press(fields[id(who)], "Enter")

    for speaker, hearer in sides:
        await say(speaker, "before")
        await words_in(hearer.page, "theirs", ["before"])
    line.web.stop()
    for speaker, _ in sides:
        await say(speaker, "meanwhile")
        unsent = speaker.page.locator(".talk__row--sending", has_text="Not sent.")
        await unsent.wait_for(timeout=PATIENCE_MS)
    lost = visitor.page.locator("[data-notice]", has_text="Connection lost.")
    await lost.wait_for(timeout=PATIENCE_MS)
    line.web.start()
    for speaker, hearer in sides:
        await words_in(hearer.page, "theirs", ["before", "meanwhile"])
        await words_in(speaker.page, "mine", ["before", "meanwhile"])
    await lost.wait_for(state="hidden", timeout=PATIENCE_MS)
    for speaker, hearer in sides:
        await say(speaker, "after")
        await words_in(hearer.page, "theirs", ["before", "meanwhile", "after"])
    await view(visitor.page, "room")
    await agent.page.wait_for_selector("[data-agent-state].chip--ok")
    await visitor.page.click("[data-end]")
    await visitor.page.click("[data-ask-go]")
    await view(visitor.page, "ended")
    await agent.page.wait_for_selector("[data-room]", state="detached", timeout=PATIENCE_MS)


async def test_what_was_typed_outlives_a_reload_and_is_sent_once_in_order(
    visitor: Window, agent: Window, line: Console
) -> None:
    """The tab keeps unsent texts and a draft, on both sides; a note's draft stays a note."""
    await agent.enter("luo.jing")
    await agent.go("/agent/")
    # the previous test may have left the agent online
    button, online = (
        agent.page.locator("[data-online]"),
        agent.page.locator("[data-agent-state].chip--ok"),
    )
    await button.or_(online).filter(visible=True).first.wait_for(timeout=PATIENCE_MS)
    if await button.is_visible():
        await button.click()
    await join_room(visitor, "Eve")
    await agent.page.wait_for_selector("[data-room] .talk__list")
    fields = {id(visitor): "#say", id(agent): "[data-room] textarea"}
    for who in (visitor, agent):
        await who.page.route("**/messages", lambda route: route.abort())
        for text in ("one", "two", "three"):
            await who.page.fill(fields[id(who)], text)
            await who.page.press(fields[id(who)], "Enter")
        unsent = who.page.locator(".talk__row--sending", has_text="Not sent.").first
        await unsent.wait_for(timeout=PATIENCE_MS)
        await who.page.fill(fields[id(who)], "half a sent")
        await who.page.reload()
        await who.page.locator(".talk__row--sending").nth(2).wait_for(timeout=PATIENCE_MS)
    for who in (visitor, agent):
        await who.page.unroute("**/messages")
    for who, other in ((visitor, agent), (agent, visitor)):
        await words_in(other.page, "theirs", ["one", "two", "three"])
        await words_in(who.page, "mine", ["one", "two", "three"])
        assert await who.page.input_value(fields[id(who)]) == "half a sent"
    await agent.page.check("[data-room] .check input")
    await agent.page.reload()
    await agent.page.wait_for_selector("[data-room] .talk__list")
    assert await agent.page.input_value(fields[id(agent)]) == "half a sent"
    assert await agent.page.is_checked("[data-room] .check input")
    await agent.page.fill(fields[id(agent)], "")
    await visitor.page.click("[data-end]")
    await visitor.page.click("[data-ask-go]")
    await view(visitor.page, "ended")
    await agent.page.wait_for_selector("[data-room]", state="detached", timeout=PATIENCE_MS)


async def test_a_place_survives_the_loss_of_everything_that_redis_had(
    visitor: Window, line: Console
) -> None:
    gone = await other_visitor(visitor, "billing", "Gone")  # away, but still counted
    first = await other_visitor(visitor, "billing", "Fay")
    await gone.close()
    await join(visitor, "billing", "Gus")
    await place(visitor.page, "3")
    with line.redis.client() as client:
        client.flushall()
        await visitor.page.reload()
        await view(visitor.page, "waiting")
    await place(visitor.page, "3")
    await first.pages[0].click("[data-leave]")
    await first.pages[0].click("[data-ask-go]")
    await view(first.pages[0], "ended")
    await place(visitor.page, "2")
    line.web.stop()
    await visitor.page.click("[data-leave]")
    await visitor.page.click("[data-ask-go]")
    leaving = visitor.page.locator("[data-notice]", has_text="You're leaving.")
    await leaving.wait_for(timeout=PATIENCE_MS)
    line.web.start()
    await view(visitor.page, "ended")


async def test_places_come_back_after_a_loss_though_some_had_been_served_before(
    visitor: Window, agent: Window, line: Console
) -> None:
    """Visitors whose agent was lost are first, and stay first when Redis loses everything."""
    first = await other_visitor(visitor, "returns", "Ann")
    second = await other_visitor(visitor, "returns", "Bo")
    await go_online(agent, "he.yan")
    for context in (first, second):
        await view(context.pages[0], "room")
    await agent.page.close()
    for context in (first, second):
        await view(context.pages[0], "waiting")
    await join(visitor, "returns", "Cy")
    await place(visitor.page, "3")
    with line.redis.client() as client:
        client.flushall()
    await visitor.page.reload()
    await view(visitor.page, "waiting")
    for page, wanted in ((first.pages[0], "1"), (second.pages[0], "2"), (visitor.page, "3")):
        await place(page, wanted)
        await view(page, "waiting")
    for context in (first, second):
        await context.pages[0].click("[data-leave]", timeout=PATIENCE_MS)
        await context.pages[0].click("[data-ask-go]")
        await view(context.pages[0], "ended")
    await place(visitor.page, "1")
    await visitor.page.click("[data-leave]")
    await visitor.page.click("[data-ask-go]")
    await view(visitor.page, "ended")
