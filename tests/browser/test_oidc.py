"""Log-in by a provider in a Chromium: to it, back and out, under the pages' real policy."""

from collections.abc import Iterator

import pytest
from playwright.async_api import Browser

from tests.access import sign_on
from tests.browser.plugin import DEMO
from tests.browser.running import Console, running
from tests.support.oidc_provider import CLIENT_ID, CLIENT_SECRET, Provider, oidc_provider

pytestmark = [
    pytest.mark.browser,
    pytest.mark.prove,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]
CONTINUE = "text=Continue with Acme ID"


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with oidc_provider() as started:
        started.asks, started.person = True, sign_on.person("ann", "noc")
        yield started


@pytest.fixture(scope="module")
def site(
    browser: Browser, provider: Provider, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Console]:
    """A console that is configured for the provider."""
    settings = DEMO | {
        "POOLSITE_OIDC_ISSUER": provider.issuer,
        "POOLSITE_OIDC_CLIENT_ID": CLIENT_ID,
        "POOLSITE_OIDC_CLIENT_SECRET": CLIENT_SECRET,
        "POOLSITE_OIDC_NAME": "Acme ID",
        "POOLSITE_OIDC_ROLES": '{"noc": "operate"}',
    }
    with running(browser, tmp_path_factory.mktemp("oidc"), **settings) as console:
        yield console


async def test_a_person_goes_to_the_provider_and_comes_back_confirms_and_logs_out(
    site: Console, provider: Provider
) -> None:
    async with site.window() as shown:
        page = shown.page
        await shown.go("/login/?next=/security/sessions/")
        assert await shown.violations() == []
        await page.click(CONTINUE)
        await shown.shows("h1", "The provider")
        await page.click("text=Let me in")
        await page.wait_for_url(f"{site.base}/security/sessions/")
        await shown.go("/security/sign-on/")
        await shown.contains("main", "You log in with Acme ID as ann@acme.example.")
        assert await shown.violations() == []
        # "Is it you?" for users without a password: by the provider again, from a page, not a form.
        await shown.go("/security/confirm/sign-on/?next=/security/passkeys/add/")
        await shown.contains("main", "Acme ID asks you to log in again")
        assert await shown.violations() == []
        await page.click(CONTINUE)
        await page.click("text=Let me in")
        await page.wait_for_url(f"{site.base}/security/passkeys/add/")
        assert provider.asked[-1]["prompt"] == "login"
        await page.locator("form[action='/logout/'] button").first.evaluate("(b) => b.click()")
        await shown.shows("h1", "Logged out")
        assert await shown.violations() == []
        await page.click("text=Log out of Acme ID")
        await shown.shows("h1", "Logged out of the provider")


async def test_who_has_no_access_reads_why(site: Console, provider: Provider) -> None:
    provider.person = sign_on.person("otto")
    async with site.window() as shown:
        await shown.go("/login/")
        await shown.page.click(CONTINUE)
        await shown.page.click("text=Let me in")
        await shown.shows("h1", "You have no access yet")
        assert await shown.violations() == []
        await shown.page.click("text=Go to login")
        await shown.page.wait_for_url(f"{site.base}/login/")
