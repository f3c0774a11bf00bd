"""A new API token in a browser: a purpose, its summary, the secret once, and what it opens."""

import re

import pytest

from tests.browser.console import PHONE, Window
from tests.browser.running import Console

pytestmark = [
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]

REASON = "#token-reason"
CREATE = "[data-create]"
TICKED = "[name=actions]:checked"


async def test_a_purpose_is_summed_up_and_the_secret_is_shown_once(operator: Window) -> None:
    page = operator.page
    await operator.go("/tokens/new/")
    assert await page.locator(CREATE).is_disabled()
    await operator.shows(REASON, "Choose at least one permission.")
    await page.check("[name=purpose][value=reports]")
    await operator.shows(REASON, "Enter a name.")
    ticked = await page.eval_on_selector_all(
        "[name=actions]:checked", "all => all.map(e => e.value)"
    )
    assert ticked
    assert all(action.endswith(".view") for action in ticked)
    await page.fill("[name=name]", "Night export")
    await page.fill("[name=networks]", "198.51.100.0/24")
    await operator.contains("[data-part=summary]", "Night export may view pools and numbers")
    await operator.contains("[data-part=summary]", "from 198.51.100.0/24")
    await operator.contains("[data-part=networks]", "is not included")
    assert await operator.violations() == []
    await operator.send(CREATE)
    secret = await page.input_value("[data-secret]")
    assert re.fullmatch(r"ps_[A-Za-z0-9_-]{43}", secret)
    example = await operator.text("[data-example]")
    assert "$POOLSITE_TOKEN" in example
    assert secret not in example
    await operator.contains(".token-sentence", "Night export may")
    assert await page.locator("[data-done]").get_attribute("aria-disabled") == "true"
    await page.check("[data-stored] input")
    assert await page.locator("[data-done]").get_attribute("aria-disabled") == "false"
    assert await operator.violations() == []
    await page.reload()
    assert page.url.endswith("/tokens/")
    assert secret not in await page.content()
    await operator.contains("tbody", "Night export")


async def test_custom_starts_with_nothing_and_changes_leave_the_purpose(operator: Window) -> None:
    page = operator.page
    await operator.go("/tokens/new/")
    await page.check("[name=purpose][value=switch]")
    await operator.contains("[data-part=reach]", "All pools")
    await page.check("[name=actions][value='numbers.label']")
    assert await page.is_checked("[name=purpose][value=custom]")
    assert await page.is_checked("[name=actions][value='numbers.event']")
    await page.check("[data-all]")
    others = "[name=things]:not([data-all])"
    assert await page.eval_on_selector_all(others, "all => all.every(e => e.checked && e.disabled)")
    await page.check("[name=purpose][value=switch]")
    await page.check("[name=purpose][value=custom]")
    assert await page.locator(TICKED).count() == 0
    await operator.shows(REASON, "Choose at least one permission.")


async def test_the_form_fits_a_phone_and_shows_technical_names_on_demand(console: Console) -> None:
    async with console.window("lin.mei", viewport=PHONE) as shown:
        await shown.go("/tokens/new/?purpose=reports")
        assert await shown.overflow() == []
        name = shown.page.locator(".token-right__name").first
        assert not await name.is_visible()
        await shown.page.check("[data-technical]")
        assert await name.is_visible()
        assert await shown.overflow() == []
