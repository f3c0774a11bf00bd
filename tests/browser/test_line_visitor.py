"""A visitor's choices in a real browser: language, first message, notifications, code, mail."""

import email
import email.policy
import re
from collections.abc import Iterator
from email.message import EmailMessage
from urllib.parse import quote

import pytest
from playwright.async_api import Page, expect

from tests.browser.console import PHONE, Window
from tests.browser.line_windows import go_online, join, other_visitor, view, words_in
from tests.browser.running import Console
from tests.support.processes import Process
from tests.support.waiting import eventually

pytestmark = [
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]


@pytest.fixture(scope="module")
def ticker(console: Console) -> Iterator[Process]:
    """The line's sweeps and drains, and the mails, with the desk of visitor_stage.py."""
    console.stage("tests.browser.visitor_stage")
    mails = f"filemail:///{quote(str(console.site.folder / 'mail'))}"
    with console.program("tests.browser.line_ticker", EMAIL_URL=mails) as process:
        yield process


def mails_to(console: Console, address: str) -> list[EmailMessage]:
    """Return what the site has mailed to this address."""
    found = []
    for path in sorted((console.site.folder / "mail").glob("*")):
        for text in path.read_bytes().split(b"-" * 79):
            mail = email.message_from_bytes(text.lstrip(), policy=email.policy.default)
            if address in str(mail["To"]):
                found.append(mail)
    return found


async def mail_to(console: Console, address: str) -> str:
    """Return the text of the only mail to this address, once it has arrived."""
    await eventually(lambda: bool(mails_to(console, address)))
    (mail,) = mails_to(console, address)
    body = mail.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


async def leave(page: Page) -> None:
    """Leave the line."""
    await page.click("[data-leave]")
    await page.click("[data-ask-go]")
    await view(page, "ended")


async def test_the_language_is_changed_with_the_visit_and_what_was_typed(
    visitor: Window, agent: Window
) -> None:
    await visitor.go("/q/seeds/")
    await visitor.page.fill("#visit-name", "Mei")
    await visitor.page.get_by_role("link", name="中文").click()
    await visitor.until("document.documentElement.lang === 'zh-hans'")
    await expect(visitor.page.locator("#visit-name")).to_have_value("Mei")
    assert visitor.page.url.endswith("?lang=zh-hans")
    await visitor.go("/q/seeds/")  # the cookie stores it
    assert await visitor.page.get_attribute("html", "lang") == "zh-hans"
    await visitor.page.fill("#visit-name", "Mei")
    await visitor.page.keyboard.press("Enter")
    await view(visitor.page, "waiting")
    await visitor.page.fill("#say", "只写了一半")
    assert await visitor.violations() == []
    await visitor.page.get_by_role("link", name="EN", exact=True).click()
    await visitor.until("document.documentElement.lang === 'en'")
    await view(visitor.page, "waiting")
    await expect(visitor.page.locator("#say")).to_have_value("只写了一半")
    await visitor.page.get_by_role("link", name="中文").click()
    await visitor.until("document.documentElement.lang === 'zh-hans'")
    await view(visitor.page, "waiting")
    await go_online(agent, "gu.yan")
    await view(visitor.page, "room")
    await agent.contains("[data-room] .talk__head", "Language: 简体中文")


async def test_the_agent_reads_first_what_was_written_while_waiting(
    visitor: Window, agent: Window, line: Console
) -> None:
    await agent.enter("qin.lan")
    await agent.go("/agent/")
    await join(visitor, "pots", "Nia")
    for text in ("My pot came with a crack.", "Order 7731"):
        await visitor.page.fill("#say", text)
        await visitor.page.keyboard.press("Enter")
    await words_in(visitor.page, "mine", ["My pot came with a crack.", "Order 7731"])
    await agent.contains(".queue-row__said", "My pot came with a crack.")
    assert await visitor.violations() == []
    assert await visitor.overflow() == []
    await visitor.page.locator("#say").press_sequentially("half a sen")
    await go_online(agent, "qin.lan")
    await view(visitor.page, "room")
    await visitor.page.keyboard.type("tence")  # the match changed neither the text nor the focus
    assert await visitor.page.input_value("#say") == "half a sentence"
    await visitor.page.keyboard.press("Enter")
    written = ["My pot came with a crack.", "Order 7731", "half a sentence"]
    await words_in(agent.page, "theirs", written)
    await agent.page.fill("[data-room] textarea", "I send a new one.")
    await agent.page.keyboard.press("Enter")
    await words_in(visitor.page, "theirs", ["I send a new one."])

    await visitor.page.click(".talk__head [data-mail-transcript]")
    await visitor.page.fill("#mail-address", "nia@")
    await visitor.page.keyboard.press("Enter")
    await visitor.contains("[data-error=mail]", "valid email address")
    await visitor.page.fill("#mail-address", "nia@example.org")
    await visitor.page.keyboard.press("Enter")
    await visitor.contains("[data-mail-words]", "on its way")
    text = await mail_to(line, "nia@example.org")
    for words in (*written, "I send a new one.", "Asia/Shanghai"):
        assert words in text
    await visitor.page.click("#mail [data-dialog-close]")
    await visitor.page.click("[data-end]")
    await visitor.page.click("[data-ask-go]")
    await view(visitor.page, "ended")
    await visitor.page.click(".stars__one:nth-of-type(4)")
    await visitor.page.fill("#rating-comment", "Quick.")
    await visitor.page.click("[data-rating] .button")
    await visitor.contains("[data-rating] > [role=status]", "Your rating was saved")
    await visitor.page.reload()
    await view(visitor.page, "ended")
    await visitor.page.get_by_role("button", name="Change rating").click()
    assert await visitor.page.input_value("#rating-comment") == "Quick."
    await expect(visitor.page.locator(".stars__one--on")).to_have_count(4)
    assert await visitor.violations() == []


async def test_a_code_continues_the_visit_in_another_browser_once(
    visitor: Window, line: Console
) -> None:
    await join(visitor, "tools", "Otto")
    await visitor.page.click("[data-hold]")
    await visitor.page.click("[data-code-ask]")
    await visitor.contains("[data-code-left]", "Valid for")
    code = await visitor.text("[data-code]")
    assert re.fullmatch(r"[2-9A-Z]{4}-[2-9A-Z]{4}", code)
    assert await visitor.violations() == []
    async with line.window(viewport=PHONE) as second:
        await second.go("/q/tools/")
        await second.page.click(".visit__code summary")
        await second.page.fill("#visit-code", "2222-2222")
        await second.page.keyboard.press("Enter")
        await second.contains("[data-error=code]", "isn't valid")
        assert await second.violations() == []
        await second.page.fill("#visit-code", code.lower())
        await second.page.keyboard.press("Enter")
        await view(second.page, "waiting")
        await second.until("document.querySelector('[data-place]').textContent === '1'")
        await second.page.fill("#say", "From my phone")
        await second.page.keyboard.press("Enter")
        await words_in(visitor.page, "mine", ["From my phone"])
        async with line.window(viewport=PHONE) as third:
            await third.go("/q/tools/")
            await third.page.click(".visit__code summary")
            await third.page.fill("#visit-code", code)
            await third.page.keyboard.press("Enter")
            await third.contains("[data-error=code]", "isn't valid")


async def test_who_closed_the_page_is_mailed_when_next_and_comes_back_by_the_link(
    visitor: Window, line: Console
) -> None:
    first = await other_visitor(visitor, "trees", "Pia")
    sol = (await other_visitor(visitor, "trees", "Sol")).pages[0]
    await sol.evaluate("() => { document.hasFocus = () => false; }")
    await sol.check("[data-tell]")
    async with line.window(viewport=PHONE) as second:
        await join(second, "trees", "Quy")
        await second.until("document.querySelector('[data-place]').textContent === '3'")
        await second.page.fill("#tell-mail", "quy@example.org")
        await second.page.keyboard.press("Enter")
        await second.contains("[data-tell-words]", "We'll email you when you're next")
        assert await second.violations() == []
        assert await second.overflow() == []
    assert mails_to(line, "quy@example.org") == []
    await leave(first.pages[0])
    await expect(sol).to_have_title("● You're next")  # whose page is open, but not visible
    await leave(sol)
    text = await mail_to(line, "quy@example.org")
    assert "You're next in the Trees line at Juniper Gardens." in text
    (link,) = re.findall(r"http\S+#\S+", text)
    await visitor.page.goto(link)
    await view(visitor.page, "waiting")
    await visitor.until("document.querySelector('[data-place]').textContent === '1'")
    await visitor.contains("[data-tell-words]", "We've emailed you")


async def test_what_nobody_came_to_read_may_be_left_as_a_message(visitor: Window) -> None:
    await join(visitor, "hedges", "Rae")
    await visitor.page.fill("#say", "When do you deliver?")
    await visitor.page.keyboard.press("Enter")
    await words_in(visitor.page, "mine", ["When do you deliver?"])
    await view(visitor.page, "ended")
    await visitor.page.click("[data-leave-words]")
    assert await visitor.page.input_value("#left-name") == "Rae"
    assert await visitor.page.input_value("#left-text") == "When do you deliver?"
    await visitor.page.fill("#left-contact", "rae@example.org")
    await visitor.page.keyboard.press("Enter")
    await visitor.shows("[data-closed-title]", "We've received your message")
