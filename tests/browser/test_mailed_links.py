"""Links of invitations and new passwords, opened in a browser: no log ever has their secrets."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Request

from tests.browser.console import Window
from tests.browser.running import APPLICATION, Console, running
from tests.live.servers import WebServer
from tests.support.mail_server import MailServer, mail_server
from tests.support.processes import end
from tests.support.waiting import eventually

pytestmark = [
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]

STAGE = "tests.browser.first_stage"
LINK = re.compile(r"http://[^/\s]+(/\S+)#(\S+)")
PASSWORDS = {"new_password": "a password of her own", "repeated": "a password of her own"}
NEW = "another password of hers"
WORKER = ("celery", "-A", "poolsite", "worker", "-P", "solo", "-l", "DEBUG", "--without-mingle")


@pytest.fixture
def post() -> Iterator[MailServer]:
    with mail_server() as server:
        yield server


@pytest.fixture
def site(browser: Browser, tmp_path: Path, post: MailServer) -> Iterator[Console]:
    """A console whose mails arrive and whose web process logs as much as it can."""
    more = {"EMAIL_URL": post.url, "POOLSITE_LOG_LEVEL": "DEBUG"}
    with running(browser, tmp_path, **more) as console:
        console.web.stop()
        console.web.extra = ("--log-level", "trace", "--access-log")
        console.web.start()
        console.stage(STAGE, "operator")
        yield console


@pytest.fixture
def second(site: Console) -> Iterator[WebServer]:
    """The other kind of web server on the same site, with equally detailed logs."""
    daphne = WebServer(site.site, "daphne", APPLICATION, extra=("--access-log", "-", "-v", "2"))
    daphne.start()
    yield daphne
    daphne.stop()


@pytest.fixture
def worker(site: Console) -> Iterator[Path]:
    """A worker, which sends the mails of new passwords. Yield its log."""
    log = site.log("worker")
    process = site.site.start(log, *WORKER)
    yield log
    end(process, seconds=10)


async def test_no_log_and_no_request_line_has_the_secret_of_a_mailed_link(
    site: Console, second: WebServer, worker: Path, post: MailServer
) -> None:
    async with site.window("first") as shown:
        await shown.go("/operators/invite/")
        await _fill(shown, {"email": "nina@example.com"})
        await eventually(lambda: len(post.bodies) == 1, 20)
    async with site.window() as shown:
        heard = _listen(shown)
        invitation = await _follow(shown, post.bodies[0], "/join/accept/")
        await _fill(shown, {"username": "nina", "full_name": "Nina Hu", **PASSWORDS})
        await shown.page.wait_for_url(lambda url: "/join/" not in url)
    async with site.window() as shown:
        shown.base = f"http://127.0.0.1:{second.port}"
        heard += _listen(shown)
        await shown.go("/password/reset/")
        await _fill(shown, {"email": "nina@example.com"})
        await eventually(lambda: len(post.bodies) == 2, 30)
        reset = await _follow(shown, post.bodies[1], "/password/reset/new/*/")
        await _fill(shown, {"password1": NEW, "password2": NEW})
        await shown.page.wait_for_url("**/login/")
    logs = {file.name: file.read_text() for file in site.site.folder.glob("*.log")}
    assert "POST /join/ " in logs[site.web.log.name]
    assert "POST /password/reset/link/" in logs[second.log.name]
    assert "access.send_reset" in logs[worker.name]
    assert any("/join/accept/" in request for request in heard)
    for name, text in {**logs, "requests": "\n".join(heard)}.items():
        assert invitation not in text, name
        assert reset.partition("-")[2] not in text, name


def _listen(shown: Window) -> list[str]:
    """Return a list of every later request of the page, as a proxy would log it."""
    heard: list[str] = []

    def hear(request: Request) -> None:
        sent = request.url.partition("#")[0]  # the fragment stays in the browser
        heard.append(f"{request.method} {sent} {request.headers.get('referer', '-')}")

    shown.page.on("request", hear)
    return heard


async def _follow(shown: Window, mail: str, leads_to: str) -> str:
    """Open the link of a mail, and return its secret."""
    found = LINK.search(mail)
    assert found is not None, mail
    await shown.page.goto(f"{shown.base}{found[1]}#{found[2]}")
    await shown.page.wait_for_url(f"**{leads_to}")
    assert await shown.violations() == []
    return found[2]


async def _fill(shown: Window, values: dict[str, str]) -> None:
    """Fill in the form of the page, and send it as from the keyboard."""
    for name, value in values.items():
        await shown.page.fill(f"main [name={name}]", value)
    await shown.page.press(f"main [name={name}]", "Enter")
