"""The line in a real browser: a visitor moves up and is served, over a reload and a lost agent."""

import signal

import pytest
from playwright.async_api import Locator, expect

from tests.browser.console import PHONE, Window
from tests.browser.line_windows import PATIENCE_MS, go_online, join, other_visitor, place, view
from tests.browser.running import Console
from tests.support.processes import Process

pytestmark = [
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]


async def test_a_visitor_moves_up_is_served_and_comes_first_when_the_agent_is_lost(
    visitor: Window, agent: Window
) -> None:
    first = await other_visitor(visitor, "help", "Ann")
    await join(visitor, "help", "Bo <b>")
    await visitor.until("document.querySelector('[data-place]').textContent === '2'")
    await visitor.shows("[data-before]", "1 person is ahead of you")
    await visitor.page.reload()
    await view(visitor.page, "waiting")
    await visitor.until("document.querySelector('[data-place]').textContent === '2'")
    assert await visitor.violations() == []
    assert await visitor.overflow() == []

    await first.pages[0].click("[data-leave]")
    await first.pages[0].click("[data-ask-go]")
    await view(first.pages[0], "ended")
    await visitor.until("document.querySelector('[data-place]').textContent === '1'")
    await visitor.shows("[data-before]", "You're next")

    await go_online(agent, "li.jun")
    await view(visitor.page, "room")
    await agent.page.wait_for_selector("[data-room] .talk__list")
    await visitor.page.fill("#say", "I was <i>charged</i> twice")
    await visitor.page.keyboard.press("Enter")
    words = agent.page.locator("[data-room] .talk__row--theirs .talk__words")
    await words.first.wait_for(timeout=PATIENCE_MS)
    await expect(words.first).to_have_text("I was <i>charged</i> twice")
    await agent.page.fill("[data-room] textarea", "Let me look.")
    await agent.page.keyboard.press("Enter")
    theirs = visitor.page.locator(".talk__row--theirs .talk__words")
    await theirs.first.wait_for(timeout=PATIENCE_MS)
    await expect(theirs.first).to_have_text("Let me look.")
    assert await agent.violations() == []
    await visitor.page.reload()
    await view(visitor.page, "room")
    await theirs.first.wait_for()

    late = await other_visitor(visitor, "help", "Late")
    await agent.page.close()
    await view(visitor.page, "waiting")
    await visitor.until("document.querySelector('[data-place]').textContent === '1'")
    await visitor.contains("[data-notice-words]", "Your agent had to leave")
    await place(late.pages[0], "2")


async def test_a_visitor_who_is_handed_over_is_told_where_before_sql_knows(
    visitor: Window, agent: Window, ticker: Process
) -> None:
    await join(visitor, "wishes", "Hana")
    await go_online(agent, "mo.ran")
    await view(visitor.page, "room")
    await visitor.page.fill("#say", "\U0001f469\u200d\U0001f469\u200d\U0001f467 at home")
    await visitor.page.keyboard.press("Enter")
    said = agent.page.locator("[data-room] .talk__row--theirs .talk__words")
    await expect(said).to_have_text("\U0001f469\u200d\U0001f469\u200d\U0001f467 at home")
    await visitor.page.fill("#say", "x" * 4001)
    await visitor.page.keyboard.press("Enter")
    await visitor.contains(".talk__composer [role=status]", "1 character too many")
    assert len(await visitor.page.input_value("#say")) == 4001  # nothing was cut, nothing was sent
    assert await visitor.violations() == []
    ticker.send_signal(signal.SIGSTOP)  # nothing reaches SQL
    try:
        await agent.page.get_by_role("button", name="Transfer").click()
        await agent.page.get_by_role("option", name="Quiet").click()
        await agent.page.get_by_role("button", name="Transfer to Quiet").click()
        await told_of_the_hand_over(visitor)
        await visitor.page.reload()
        await told_of_the_hand_over(visitor)
    finally:
        ticker.send_signal(signal.SIGCONT)


async def told_of_the_hand_over(visitor: Window) -> None:
    await view(visitor.page, "waiting")
    await visitor.contains("[data-notice-words]", "You've been transferred")
    await visitor.contains("[data-place-label]", "Quiet")


async def test_a_place_goes_along_to_another_device(visitor: Window, line: Console) -> None:
    await join(visitor, "billing", "Cy")
    await visitor.page.click("[data-hold]")
    link = await visitor.page.input_value("[data-hold-link]")
    async with line.window(viewport=PHONE) as second:
        await second.page.goto(link)
        await view(second.page, "waiting")
        assert "#" not in second.page.url
        await second.until("document.querySelector('[data-place]').textContent === '1'")
        await second.page.click("[data-leave]")
        await second.page.click("[data-ask-go]")
        await view(second.page, "ended")
    await view(visitor.page, "ended")


async def test_an_offer_is_accepted_and_the_room_ended_by_the_keyboard_alone(
    visitor: Window, agent: Window
) -> None:
    await go_online(agent, "sun.hao")
    await visitor.go("/q/offers/")
    await visitor.page.fill("#visit-name", "Di")
    await visitor.page.keyboard.press("Enter")
    await agent.page.wait_for_selector(".room--offer")
    await agent.page.keyboard.press("a")
    await agent.page.wait_for_selector("[data-room] textarea:focus")
    await view(visitor.page, "room")
    await agent.page.keyboard.press("Escape")
    await agent.page.keyboard.press("f")
    await agent.page.wait_for_selector("[data-ask][open]")
    await agent.page.keyboard.press("Enter")
    await view(visitor.page, "ended")
    await visitor.page.click(".stars__one:nth-of-type(5)")
    await visitor.page.click("[data-rating] .button")
    await visitor.page.wait_for_selector("[data-rating] [role=status]")
    assert await visitor.violations() == []


async def test_a_closed_queue_takes_a_message(visitor: Window) -> None:
    await visitor.go("/q/night/")
    await view(visitor.page, "closed")
    await visitor.contains(".visit__hours", "09:00–12:00, 13:00–18:00")
    await visitor.page.click("[data-leave-message] .button--primary")
    await visitor.contains("[data-error=left]", "Enter your name, how to reach you")
    await visitor.page.fill("#left-name", "Eve")
    await visitor.page.fill("#left-contact", "138 0013 0417")
    await visitor.page.check("[value=call]")
    await visitor.page.click("[data-leave-message] .button--primary")
    await visitor.until(
        "document.querySelector('[data-closed-title]').textContent === \"We'll call you back\""
    )
    assert await visitor.violations() == []


async def answer_the_question(shown: Window, reason: str) -> None:
    """Give the reason that a verb asks for, and continue."""
    await shown.page.wait_for_selector("[data-ask][open]")
    await shown.page.fill("[data-ask-reason]", reason)
    await shown.page.click("[data-ask] [data-ask-go]")


def row_of(shown: Window, name: str) -> Locator:
    """Return the row of a visitor in the chosen line of the floor."""
    return shown.page.locator("[data-visit-row]", has_text=name)


async def opened(shown: Window, name: str) -> Locator:
    """Return the same row with its reasons and verbs."""
    row = row_of(shown, name)
    await row.get_by_role("button", name=f"Why {name} is still waiting").click(timeout=PATIENCE_MS)
    await expect(row.locator("dl")).not_to_contain_text("Loading…")
    return row


async def test_a_supervisor_listens_hands_over_moves_and_ends_beside_visitors_and_agents(
    visitor: Window, agent: Window, supervisor: Window, line: Console
) -> None:
    first = await other_visitor(visitor, "floor", "Ann")
    await join(visitor, "floor", "Bo")
    late = await other_visitor(visitor, "floor", "Cy")
    await place(visitor.page, "2")
    await supervisor.go("/desks/care/floor/?queue=floor")
    row = await opened(supervisor, "Cy")
    await row.get_by_role("button", name="Move Cy to the front").click()
    await place(late.pages[0], "1")
    await place(visitor.page, "3")

    await go_online(agent, "ye.qing")
    await view(late.pages[0], "room")
    await late.pages[0].fill("#say", "Is <b>anybody</b> there?")
    await late.pages[0].keyboard.press("Enter")
    await supervisor.page.locator("[data-agent]").get_by_role("link", name="Cy").click()
    heard = supervisor.page.locator(".story__words", has_text="Is <b>anybody</b> there?")
    await heard.wait_for(timeout=PATIENCE_MS)
    await agent.page.fill("[data-room] textarea", "I am here.")
    await agent.page.keyboard.press("Enter")
    said = supervisor.page.locator(".story__words", has_text="I am here.")
    await said.wait_for(timeout=PATIENCE_MS)
    assert await supervisor.violations() == []

    async with line.window() as second:
        await go_online(second, "bai.lu")
        await view(first.pages[0], "room")
        await second.page.wait_for_selector("[data-room] .talk__list")
        await first.pages[0].click("[data-end]")
        await first.pages[0].click("[data-ask-go]")
        await view(first.pages[0], "ended")
        await view(visitor.page, "room")  # the next in the same step
        await supervisor.go("/desks/care/floor/")
        agents = supervisor.page.locator("[data-agent]")
        await agents.get_by_role("link", name="Bo").click(timeout=PATIENCE_MS)
        await supervisor.page.wait_for_url("**/visits/**")
        await supervisor.ready()
        ended = supervisor.page.locator(".button--danger", has_text="End")
        await ended.click(timeout=PATIENCE_MS)
        await answer_the_question(supervisor, "abusive")
        await view(visitor.page, "ended")
        await visitor.shows("[data-ended-title]", "Your visit was ended")

        await supervisor.go("/desks/care/floor/")
        await agents.get_by_role("link", name="Cy").click(timeout=PATIENCE_MS)
        await supervisor.page.select_option("#to-agent", label="Bai Lu")
        await supervisor.page.get_by_role("button", name="Transfer").click()
        await second.page.wait_for_selector("[data-room] .talk__list", timeout=PATIENCE_MS)
        words = second.page.locator("[data-room] .talk__row--theirs .talk__words")
        await words.first.wait_for(timeout=PATIENCE_MS)  # the transcript is handed over
        await expect(words.first).to_have_text("Is <b>anybody</b> there?")
        await agent.until("!document.querySelector('[data-room] textarea')")
        await view(late.pages[0], "room")


async def test_a_click_counts_though_its_row_is_drawn_anew_or_moves_between_press_and_release(
    visitor: Window, supervisor: Window
) -> None:
    await join(visitor, "quiet", "Hal")
    second = await other_visitor(visitor, "quiet", "Ida")
    await supervisor.go_live("/desks/care/floor/?queue=quiet")
    row = await opened(supervisor, "Ida")
    button = row.get_by_role("button", name="Move Ida to the front")
    drawn = await button.element_handle()
    await button.hover()
    await supervisor.page.mouse.down()
    third = await other_visitor(visitor, "quiet", "Jo")
    await row_of(supervisor, "Jo").wait_for(timeout=PATIENCE_MS)
    assert not await drawn.evaluate("(each) => each.isConnected")
    await supervisor.page.evaluate("document.querySelector('[data-line]').style.marginTop = '60px'")
    await supervisor.page.mouse.up()
    await place(second.pages[0], "1")
    button = row_of(supervisor, "Hal").get_by_role("button", name="Why Hal is still waiting")
    await button.hover()
    await supervisor.page.mouse.down()
    await supervisor.page.evaluate("document.querySelector('[data-line]').style.marginTop = ''")
    await supervisor.page.mouse.up()
    await expect(button).to_have_text("Hide why")
    for page in (visitor.page, second.pages[0], third.pages[0]):
        await page.click("[data-leave]")
        await page.click("[data-ask-go]")
        await view(page, "ended")


async def test_what_a_supervisor_is_asked_about_ends_though_the_floor_moves(
    visitor: Window, supervisor: Window
) -> None:
    await join(visitor, "quiet", "Flo")
    await supervisor.go_live("/desks/care/floor/?queue=quiet")
    row = await opened(supervisor, "Flo")
    await row.get_by_role("button", name="End visit of Flo").click()
    await supervisor.page.wait_for_selector("[data-ask][open]")
    await other_visitor(visitor, "quiet", "Gil")
    await row_of(supervisor, "Gil").wait_for(timeout=PATIENCE_MS)  # redrawn behind the question
    await answer_the_question(supervisor, "abusive")
    await view(visitor.page, "ended")
    await row_of(supervisor, "Flo").wait_for(state="detached", timeout=PATIENCE_MS)


async def test_a_past_minute_is_reached_by_the_keyboard(supervisor: Window) -> None:
    await supervisor.go("/desks/care/replay/")
    slider = supervisor.page.locator("[data-slider]")
    before = await supervisor.text("[data-moment]")
    await slider.focus()
    await supervisor.page.keyboard.press("ArrowLeft")
    await supervisor.until("document.querySelector('[data-moment]').textContent !== wanted", before)
    moment = await supervisor.text("[data-moment]")
    await supervisor.until(
        "document.querySelector('[data-now]').textContent.startsWith(wanted)", moment
    )
    assert "at=" in supervisor.page.url
    await supervisor.page.reload()
    await supervisor.shows("[data-moment]", moment)
    await supervisor.page.get_by_role("link", name="Now").click()
    await supervisor.page.wait_for_selector(".badge, [data-now]")


async def test_a_report_has_a_chart_a_table_and_a_file(supervisor: Window) -> None:
    await supervisor.go("/desks/care/reports/")
    arrow = supervisor.page.locator("#f-queue")
    await expect(arrow).not_to_have_css("background-image", "none")
    await supervisor.page.get_by_role("link", name="7 days").click()
    await supervisor.page.wait_for_selector("[data-charts] canvas")
    await supervisor.page.click("[data-chart-table]")
    await supervisor.page.wait_for_selector("[data-charts] .chart__table table")
    await supervisor.page.get_by_role("link", name="By queue").click()
    await supervisor.page.wait_for_selector("th:has-text('Help')")
    async with supervisor.page.expect_download() as coming:
        await supervisor.page.get_by_role("link", name="Export").click()
    path = await (await coming.value).path()
    assert path.read_text(encoding="utf-8-sig").splitlines()[0].startswith("name,arrivals,served")


async def test_going_online_asks_for_notifications_and_the_sound_can_be_switched_off(
    line: Console,
) -> None:
    async with line.window() as shown:
        await shown.page.add_init_script(
            """window.asked = 0; window.tones = 0;
            Object.defineProperty(Notification, "permission", { get: () => "default" });
            Notification.requestPermission = async () => { window.asked += 1; return "granted"; };
            const make = AudioContext.prototype.createOscillator;
            AudioContext.prototype.createOscillator = function () {
              window.tones += 1;
              return make.call(this);
            };"""
        )
        await go_online(shown, "tan.wei")
        assert await shown.page.evaluate("window.asked") == 1
        async with line.window(viewport=PHONE) as visitor:
            await come_into_a_room(visitor, "letters")
            await shown.contains("[data-room] h2", "Vi")
            await shown.until("window.tones === 2")  # two notes
            await end_the_room(visitor)
        await shown.page.get_by_role("button", name="Sound", exact=True).click()
        await shown.page.reload()
        await shown.page.wait_for_selector("[data-agent-state].chip--ok")
        switch = shown.page.get_by_role("button", name="Sound", exact=True)
        await expect(switch).to_have_attribute("aria-pressed", "false")
        await shown.page.keyboard.press("Shift")  # a gesture: now the page may play sounds
        async with line.window(viewport=PHONE) as visitor:
            await come_into_a_room(visitor, "letters")
            await shown.contains("[data-room] h2", "Vi")
            assert await shown.page.evaluate("window.tones") == 0
            assert await shown.violations() == []
            await end_the_room(visitor)


async def come_into_a_room(visitor: Window, queue: str) -> None:
    await visitor.go(f"/q/{queue}/")
    await visitor.page.fill("#visit-name", "Vi")
    await visitor.page.keyboard.press("Enter")
    await view(visitor.page, "room")


async def end_the_room(visitor: Window) -> None:
    await visitor.page.click("[data-end]")
    await visitor.page.click("[data-ask-go]")
    await view(visitor.page, "ended")


async def test_figures_are_explained_a_lonely_value_is_drawn_and_live_has_no_age(
    supervisor: Window,
) -> None:
    await supervisor.go("/desks/care/reports/?from=2026-01-01")
    await supervisor.page.click(".meanings summary")
    await expect(supervisor.page.locator(".meanings dd").first).to_be_visible()
    assert await supervisor.violations() == []
    radii = await supervisor.page.evaluate(
        """async () => {
          const names = performance.getEntriesByType("resource").map((each) => each.name);
          const charts = await import(names.find((name) => /shared\\/charts[^/]*\\.js/.test(name)));
          return charts.lonelyPoints([null, 3, null, 4, 5, null, 6]);
        }"""
    )
    assert radii == [0, 2.5, 0, 0, 0, 0, 2.5]
    await supervisor.go_live("/desks/care/")
    await expect(supervisor.page.locator("[data-badge-word]")).to_have_text("Live")
    await expect(supervisor.page.locator("[data-badge-detail]")).to_be_empty()
    await supervisor.page.click(".meanings summary")
    assert await supervisor.violations() == []
    assert await supervisor.overflow() == []
