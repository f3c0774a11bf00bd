"""The second factor and the link to a new password, as people use them: pages, mails, two servers.

In a Chromium and over HTTP, on two real web processes, a real worker and a real mail server.
Written only against the pages, so that it is valid for any implementation behind them.
"""

import re
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx
import pyotp
import pytest
from django.urls import reverse
from playwright.async_api import Browser

from tests.browser.console import Window
from tests.browser.factor_stage import GUESSED, KEYED, OTHER, WITH, WITHOUT
from tests.browser.plugin import DEMO
from tests.browser.running import APPLICATION, Console, running
from tests.browser.stage import PASSWORD
from tests.live.servers import WebServer
from tests.support.mail_server import MailServer, mail_server
from tests.support.processes import end
from tests.support.waiting import eventually, patient, until

pytestmark = [
    pytest.mark.browser,
    pytest.mark.prove,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]
MONEY = reverse("billing:adjustments")
CONFIRM = reverse("mfa_reauthenticate")
ENROL = reverse("mfa_activate_totp")
CODE_STEP = reverse("mfa_authenticate")
FRESH_SECONDS = 5
NEW_PASSWORD = "quite another pass phrase"


@dataclass
class Strict:
    """A console where money needs a fresh factor; a second server; each user's app."""

    console: Console
    second: WebServer
    mails: MailServer
    people: dict[str, Any]
    open: ExitStack

    def browsers(self, count: int) -> list["Person"]:
        """Return `count` browsers without a window, alternating between the two servers."""
        ports = (self.console.web.port, self.second.port)
        made = []
        for n in range(count):
            client = httpx.Client(base_url=f"http://127.0.0.1:{ports[n % 2]}", timeout=patient(30))
            made.append(Person(self.open.enter_context(client)))
        return made


@pytest.fixture(scope="module")
def strict(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Strict]:
    """Two servers, a worker and a mail server."""
    with mail_server() as mails:
        settings = DEMO | {
            "POOLSITE_SECOND_FACTOR_FOR_MONEY": "1",
            "POOLSITE_SECOND_FACTOR_FRESH_SECONDS": str(round(patient(FRESH_SECONDS))),
            "EMAIL_URL": mails.url,
        }
        with running(browser, tmp_path_factory.mktemp("strict"), **settings) as console:
            second = WebServer(console.site, "uvicorn", APPLICATION)
            words = ("celery", "-A", "poolsite", "worker", "-P", "solo", "-Q", "jobs")
            worker = console.site.start(console.log("worker"), *words)
            try:
                second.start()
                people = console.stage("tests.browser.factor_stage")
                with ExitStack() as still_open:
                    yield Strict(console, second, mails, people, still_open)
            finally:
                second.stop()
                end(worker)


@dataclass
class Person:
    """A browser without a window: cookies are stored, forms are sent with their tokens."""

    http: httpx.Client

    def send(self, path: str, **fields: str) -> httpx.Response:
        """Open a page, fill its form in and send it."""
        return self.post(path, self.token_of(path), **fields)

    def token_of(self, path: str) -> str:
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', self.http.get(path).text)
        assert token is not None
        return token[1]

    def post(self, path: str, token: str, **fields: str) -> httpx.Response:
        """Send a form whose token is already known."""
        return self.http.post(path, data={"csrfmiddlewaretoken": token, **fields})

    def give_password(self, name: str, password: str = PASSWORD) -> httpx.Response:
        return self.send("/login/", login=name, password=password)

    def is_in(self) -> bool:
        return self.http.get(reverse("access:profile")).status_code == 200


async def fill(shown: Window, field: str, value: str) -> None:
    """Fill in one field of the page and send its form."""
    await shown.page.fill(f"main [name={field}]", value)
    async with shown.page.expect_navigation():
        await shown.page.keyboard.press("Enter")


async def log_in(shown: Window, name: str, password: str = PASSWORD) -> None:
    await shown.go("/login/")
    await shown.page.fill("[name=login]", name)
    await fill(shown, "password", password)


def at(shown: Window) -> str:
    return urlsplit(shown.page.url).path


def next_code(secret: str) -> str:
    """Return what the app will show in the next half minute."""
    return pyotp.TOTP(secret).at(time.time() + 30)


def all_at_once(people: list[Person], **fields: str) -> list[bool]:
    """Let all send the code's form at the same moment. Return who was let in."""
    tokens = [person.token_of(CODE_STEP) for person in people]
    start = threading.Barrier(len(people))

    def bring(person: Person, token: str) -> bool:
        start.wait(patient(30))
        return person.post(CODE_STEP, token, **fields).status_code == 302

    with ThreadPoolExecutor(len(people)) as pool:
        let_in = list(pool.map(bring, people, tokens))
    assert [person.is_in() for person in people] == let_in
    return let_in


async def test_an_app_from_its_first_code_to_its_removal(strict: Strict) -> None:
    async with strict.console.window() as shown:
        await log_in(shown, WITHOUT)
        await shown.go(MONEY)  # no app yet: money leads to setting one up
        assert at(shown) == ENROL
        await fill(shown, "code", "000000")
        await shown.contains("main", "Incorrect code. Codes change every 30 seconds")
        secret = (await shown.page.input_value("#totp-key")).replace(" ", "")
        assert await shown.page.evaluate("document.querySelector('main img').naturalWidth") > 100
        used = pyotp.TOTP(secret).now()
        await fill(shown, "code", used)
        codes = await shown.page.locator("main li code").all_inner_texts()
        assert len(set(codes)) == 10
        await shown.go(MONEY)
        assert at(shown) == MONEY

    async with strict.console.window() as shown:
        await log_in(shown, WITHOUT)
        assert at(shown) == CODE_STEP
        await fill(shown, "code", used)  # the code that set the app up
        assert at(shown) == CODE_STEP
        await shown.contains("main", "The code is incorrect or was already used. Enter a new code.")
        ahead = next_code(secret)  # a phone that is half a minute fast
        await fill(shown, "code", ahead)
        assert at(shown) != CODE_STEP
        await shown.go(MONEY)
        assert at(shown) == MONEY

        async def asked_again() -> bool:
            await shown.go(MONEY)
            return at(shown) == CONFIRM

        await eventually(asked_again)  # after FRESH_SECONDS
        await fill(shown, "code", ahead)
        assert at(shown) == CONFIRM
        await fill(shown, "code", codes[0])
        assert at(shown) == MONEY

        await shown.go(f"{CONFIRM}?next={MONEY}")
        await fill(shown, "code", codes[0])  # a recovery code is valid once
        assert at(shown) == CONFIRM
        await fill(shown, "code", codes[1])
        assert at(shown) == MONEY
        await shown.go(reverse("mfa_deactivate_totp"))
        async with shown.page.expect_navigation():
            await shown.page.click("main form button")
        assert at(shown) == reverse("mfa_index")
        await shown.go(MONEY)
        assert at(shown) == ENROL
    until(lambda: len(strict.mails.to(f"{WITHOUT}@example.org")) == 4)
    told = [text.splitlines()[2] for text in strict.mails.to(f"{WITHOUT}@example.org")]
    assert sorted(told) == [
        "An authenticator app was added to your login.",
        "One of your recovery codes was used.",
        "One of your recovery codes was used.",
        "Your authenticator app was removed.",
    ]


async def test_a_code_lets_one_in_of_four_at_two_servers(strict: Strict) -> None:
    """The app's code, and a recovery code. Four: the fifth wrong code would block the others."""
    app = strict.people[OTHER]
    for code in (next_code(app["secret"]), app["codes"][0]):
        people = strict.browsers(4)
        for person in people:
            assert person.give_password(OTHER).headers["Location"] == CODE_STEP
        assert all_at_once(people, code=code).count(True) == 1


async def test_wrong_codes_block_the_right_one_at_both_servers(strict: Strict) -> None:
    first, other = strict.browsers(2)
    for person in (first, other):
        person.give_password(GUESSED)
    answers = [first.send(CODE_STEP, code=f"00000{n}").status_code for n in range(6)]
    assert answers == [200] * 5 + [429]
    right = strict.people[GUESSED]["codes"][0]
    assert other.send(CODE_STEP, code=right).status_code == 429
    assert not other.is_in()
    until(lambda: strict.mails.saying("several incorrect codes", f"{GUESSED}@example.org"))


async def test_a_new_password_by_a_mail_that_comes_once_the_mail_server_is_back(
    strict: Strict,
) -> None:
    address = f"{WITH}@example.org"
    strict.mails.away = 1
    (stranger,) = strict.browsers(1)
    asked = reverse("account_reset_password")
    stranger.send(asked, email="nobody@example.org")
    async with strict.console.window(WITH) as old, strict.console.window() as shown:
        await old.go(reverse("access:profile"))
        await shown.go(asked)
        await fill(shown, "email", address)
        await shown.contains("main", "belongs to a user")
        await eventually(lambda: strict.mails.saying("http://", address))
        assert strict.mails.turned_away == 1
        assert strict.mails.to("nobody@example.org") == []
        found = re.search(r"http://\S+", strict.mails.saying("http://", address)[0])
        assert found is not None
        link = found[0]
        assert link.startswith(strict.console.base)

        await shown.page.goto(link)
        await shown.page.fill("main [name=password1]", NEW_PASSWORD)
        assert link.rpartition("#")[2] not in shown.page.url  # nor in what a Referer would reveal
        await fill(shown, "password2", NEW_PASSWORD)
        assert at(shown) == "/login/"
        await shown.contains("main", "Password changed.")
        await old.go(reverse("access:profile"))
        assert at(old) == "/login/"  # the other session has ended

        await log_in(shown, WITH, NEW_PASSWORD)
        assert at(shown) == CODE_STEP  # the app is still required
        await fill(shown, "code", strict.people[WITH]["codes"][0])
        assert at(shown) != CODE_STEP

        await shown.page.goto(link)
        await shown.contains("main", "A link works only once, within one hour.")
    assert stranger.give_password(WITH).status_code == 200  # the old password
    until(lambda: strict.mails.saying("Your password was changed.", address))


async def test_a_passkey_is_the_second_step_and_then_the_only_one(strict: Strict) -> None:
    """With Chromium's own authenticator, at localhost: browsers offer none at 127.0.0.1."""
    local = strict.console.base.replace("127.0.0.1", "localhost")
    async with strict.console.window() as shown:
        shown.base = local
        device = await shown.page.context.new_cdp_session(shown.page)
        await device.send("WebAuthn.enable")
        options = {
            "protocol": "ctap2",
            "transport": "internal",
            "hasResidentKey": True,
            "hasUserVerification": True,
            "isUserVerified": True,
            "automaticPresenceSimulation": True,
        }
        await device.send("WebAuthn.addVirtualAuthenticator", {"options": options})
        await log_in(shown, KEYED)
        await shown.go(reverse("mfa_add_webauthn"))
        await shown.send("#mfa_webauthn_add")
        assert at(shown) == reverse("mfa_view_recovery_codes")
        await shown.go(MONEY)  # setting it up has confirmed it
        assert at(shown) == MONEY

        await shown.page.context.clear_cookies()
        await log_in(shown, KEYED)
        assert at(shown) == CODE_STEP
        await shown.send("#mfa_webauthn_authenticate")
        assert at(shown) != CODE_STEP

        await shown.page.context.clear_cookies()
        await shown.go("/login/")
        await shown.page.click("#passkey_login")
        await shown.page.wait_for_url(lambda url: "/login" not in url)
        await shown.go(MONEY)
        assert at(shown) == MONEY

        await shown.page.context.clear_cookies()
        await device.send("WebAuthn.disable")
        shown.base = strict.console.base
        await shown.go("/login/")
        assert await shown.page.is_hidden("#passkey_login")
    until(lambda: strict.mails.saying("A passkey was added", f"{KEYED}@example.org"))
