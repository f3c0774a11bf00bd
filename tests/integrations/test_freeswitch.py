"""The daemon between an event socket and the real platform: web process, Redis and SQL."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from integrations.freeswitch import Daemon, Settings
from integrations.freeswitch import daemon as daemons
from integrations.freeswitch.reports import Ending, QueuedEvent, hang_up, register, unregister
from poolsite.runtime.redis_server import RedisServer
from tests.integrations.dialplan import OUTBOUND, Channel
from tests.integrations.event_socket import (
    PASSWORD,
    EventSocket,
    event,
    of_call,
    running,
)
from tests.live.servers import Site, WebServer
from tests.support.processes import end
from tests.support.proxy import FaultyProxy
from tests.support.waiting import eventually, patient

pytestmark = pytest.mark.processes

PROGRAM = "tests/integrations/freeswitch_setup.py"
POOLS = 32  # one for each test, made at once
FIRST_NUMBER = 13_800_000_000


@dataclass
class Platform:
    """A web server with its Redis, behind a proxy that can cut it off."""

    site: Site
    server: WebServer
    proxy: FaultyProxy
    pools: Iterator[tuple[int, str]]  # serial number and token


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    folder = tmp_path_factory.mktemp("freeswitch")
    with contextlib.ExitStack() as stack:
        redis = RedisServer(folder=folder / "redis", append_only=False).start()
        stack.callback(redis.stop)
        site = Site(folder / "site", redis.url)
        site.migrate()
        tokens = site.run(PROGRAM, "make", "fs", str(POOLS), str(FIRST_NUMBER)).split()
        server = WebServer(site, "uvicorn", "poolsite.asgi:application").start()
        stack.callback(server.stop)
        proxy = stack.enter_context(FaultyProxy(target=("127.0.0.1", server.port)))
        yield Platform(site, server, proxy, iter(enumerate(tokens)))


class Stage:
    """A pool of three numbers, a FreeSWITCH and its daemon."""

    def __init__(self, platform: Platform) -> None:
        serial, self.token = next(platform.pools)
        self.platform = platform
        self.slug = f"fs-{serial}"
        self.numbers = [str(FIRST_NUMBER + 100 * serial + index) for index in range(3)]
        self.switch = EventSocket()
        self.http = httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{platform.server.port}/api/v1/pools/{self.slug}",
            headers={"Authorization": f"Bearer {self.token}"},
            timeout=patient(30),
        )

    def daemon(self, **changes: Any) -> Daemon:
        settings = Settings(
            url=f"http://127.0.0.1:{self.platform.proxy.port}",
            pool=self.slug,
            token=self.token,
            switch="fs-01",
            password=PASSWORD,
            port=self.switch.port,
            live_seconds=0.1,
            registrations_seconds=3_600,
            reply_seconds=patient(10),
        )
        return Daemon(replace(settings, **changes))

    @contextlib.asynccontextmanager
    async def connected(self, **changes: Any) -> AsyncIterator[Daemon]:
        daemon = self.daemon(**changes)
        async with running(daemon):
            await eventually(lambda: self.switch.heard and daemon.pool.as_of_us)
            yield daemon

    async def register(self, number: str) -> None:
        """Register a phone at the number, and wait until the pool knows it."""
        self.switch.registrations.append(registration(number))
        await self.switch.say(event("register", from_user=number))
        await self.reached(number, "idle+up")

    async def call(self, call_id: str) -> str:
        """Dial as a caller: the dialplan asks the platform. Return the number that it sends."""

        def ask(words: list[str]) -> tuple[int, str]:
            name, _, value = words[words.index("append_headers") + 1].partition(": ")
            kind = words[words.index("content-type") + 1]
            answer = httpx.post(
                words[0],
                content=words[words.index("post") + 1],
                headers={name: value, "Content-Type": kind},
                timeout=patient(30),
            )
            return answer.status_code, answer.text

        variables = {
            "destination_number": "+8613912345678",
            "sip_auth_username": "1001",
            "uuid": call_id,
            "core_uuid": self.switch.core,
            "poolsite_url": f"http://127.0.0.1:{self.platform.server.port}",
            "poolsite_pool": self.slug,
            "poolsite_token": self.token,
        }
        channel = await asyncio.to_thread(Channel, OUTBOUND, ask, **variables)
        number = channel.variables.get("pool_number", "")
        assert channel.done[0][0] == "bridge", channel.variables["curl_response_data"]
        self.switch.begin(call_id, number)
        for name in ("create a", "create b", "answer b"):
            await self.switch.say(of_call(name, call_id, number))
        return number

    async def state(self, number: str) -> str:
        return str((await self.http.get(f"/numbers/{number}")).json().get("state"))

    async def reached(self, number: str, state: str) -> None:
        async def holds() -> bool:
            return await self.state(number) == state

        await eventually(holds)


@pytest.fixture
async def stage(platform: Platform) -> AsyncIterator[Stage]:
    made = Stage(platform)
    await made.switch.start()
    yield made
    platform.proxy.set("pass")
    await made.switch.stop()
    await made.http.aclose()


def registration(number: str) -> dict[str, str]:
    """Return a line of FreeSWITCH's list of registrations that expires in some hundred years."""
    return {"reg_user": number, "url": f"sofia/internal/sip:{number}@10.0.0.9", "expires": "9" * 10}


ENDS = ["hangup a", "complete a", "destroy a", "hangup b", "complete b", "destroy b"]


async def test_register_brings_a_number_up_and_a_refresh_keeps_it(stage: Stage) -> None:
    number = stage.numbers[0]
    async with stage.connected():
        await stage.register(number)
        await stage.switch.say(event("refresh", from_user=number))
        await stage.switch.say(event("register", from_user="1001"))  # an agent's phone
        await stage.register(stage.numbers[1])  # what came before it has been sent
        assert await stage.state(number) == "idle+up"


@pytest.mark.parametrize(
    ("gone", "field"), [("unregister", "from_user"), ("expire", "user"), ("expire", "username")]
)
async def test_a_number_goes_down_by_each_name_that_freeswitch_has_for_it(
    stage: Stage, gone: str, field: str
) -> None:
    number = stage.numbers[0]
    async with stage.connected():
        await stage.register(number)
        told = event(gone, **{field: number})
        if field == "username":
            del told["user"]
        await stage.switch.say(told)
        await stage.reached(number, "idle+down")


@pytest.mark.parametrize(
    "order",
    [ENDS, ENDS[::-1], ["destroy b", "destroy a"], ["hangup b", "hangup b", *ENDS, *ENDS]],
)
async def test_a_call_is_released_once_whatever_the_order_of_its_ends(
    stage: Stage, order: list[str]
) -> None:
    sent: list[QueuedEvent] = []
    async with stage.connected() as daemon:
        await stage.register(stage.numbers[0])
        number = await stage.call("call-1")
        assert await stage.state(number) == "busy+up"
        put = daemon.outbox.put

        def noted(reports: Iterable[QueuedEvent]) -> None:
            sent.extend(reports)
            put(reports)

        daemon.outbox.put = noted  # type: ignore[method-assign]  # a double
        stage.switch.channels.clear()
        for name in order:
            await stage.switch.say(of_call(name, "call-1"))
        await stage.reached(number, "idle+up")
        await stage.switch.say(event("heartbeat"))
        await daemon.outbox.emptied()
    hangups = [report.event for report in sent if report.event["event"] == "hangup"]
    assert [(one["call_id"], one["cause"]) for one in hangups] == [("call-1", "NORMAL_CLEARING")]


async def test_a_gateway_that_fails_does_not_release_the_callers_number(stage: Stage) -> None:
    async with stage.connected() as daemon:
        await stage.register(stage.numbers[0])
        number = await stage.call("call-2")
        await stage.switch.say(of_call("hangup b", "call-2"))
        await stage.register(stage.numbers[1])  # processed and sent after it
        assert await stage.state(number) == "busy+up"
        assert "call-2" in daemon.calls
        await stage.switch.say(of_call("hangup a", "call-2"))
        await stage.reached(number, "idle+up")


async def test_a_lost_event_is_noticed_by_its_number_and_made_good_from_lists(
    stage: Stage,
) -> None:
    number = stage.numbers[0]
    async with stage.connected(every_event=True):
        assert stage.switch.asked.count("event json ALL") == 1
        await stage.switch.say(event("heartbeat"))
        stage.switch.registrations = [registration(number)]
        await stage.switch.say(event("heartbeat"))
        read = "api show registrations as json"
        lists = stage.switch.asked.count(read)
        assert await stage.state(number) == "idle+down"  # no event has reported it
        await stage.switch.say(event("heartbeat"), skip=1)
        await stage.reached(number, "idle+up")
        assert stage.switch.asked.count(read) == lists + 1
        stage.switch.registrations = []
        await stage.switch.say(event("heartbeat"), skip=1)
        await stage.reached(number, "idle+down")


async def test_calls_that_the_pool_does_not_know_are_adopted_by_two_lists(stage: Stage) -> None:
    async with stage.connected():
        await stage.register(stage.numbers[1])
        stage.switch.begin("call-3", stage.numbers[1])  # its events got lost
        await stage.reached(stage.numbers[1], "busy+up")


async def test_reconnecting_to_the_same_run_keeps_calls_and_a_new_run_releases_them(
    stage: Stage,
) -> None:
    async with stage.connected():
        await stage.register(stage.numbers[0])
        number = await stage.call("call-4")
        before = stage.switch.connections
        stage.switch.cut()
        await eventually(lambda: stage.switch.connections > before and stage.switch.heard)
        await stage.register(stage.numbers[1])
        assert await stage.state(number) == "busy+up"
        await stage.switch.stop()
        stage.switch.core = "11111111-2222-3333-4444-555555555555"
        stage.switch.channels.clear()
        stage.switch.variables.clear()
        await stage.switch.start()
        await stage.reached(number, "idle+up")


async def test_while_the_platform_is_away_reports_are_kept_and_sent_after(stage: Stage) -> None:
    async with stage.connected() as daemon:
        await stage.register(stage.numbers[0])
        number = await stage.call("call-5")
        stage.platform.proxy.set("cut")
        stage.switch.channels.clear()
        for name in ENDS:
            await stage.switch.say(of_call(name, "call-5"))
        for serial in range(3):  # only the last state of each line waits
            name = "unregister" if serial % 2 else "register"
            await stage.switch.say(event(name, from_user=stage.numbers[1]))
        await stage.switch.say(event("unregister", from_user=stage.numbers[0]))
        await eventually(lambda: len(daemon.outbox) == 3)
        stage.platform.proxy.set("pass")
        await daemon.outbox.emptied()
        assert await stage.state(number) == "idle+down"
        assert await stage.state(stage.numbers[1]) == "idle+up"


async def test_a_lost_answer_is_asked_again_and_counts_once(stage: Stage) -> None:
    async with stage.connected() as daemon:
        await stage.register(stage.numbers[0])
        number = await stage.call("call-6")
        stage.platform.proxy.set("cut-reply", faults=2)
        stage.switch.channels.clear()
        await stage.switch.say(of_call("hangup b", "call-6"))
        await stage.switch.say(of_call("hangup a", "call-6"))
        await stage.reached(number, "idle+up")
        await eventually(lambda: len(daemon.outbox) == 0)


async def test_what_an_operator_ends_is_hung_up_on_the_switch(stage: Stage) -> None:
    async with stage.connected():
        await stage.register(stage.numbers[0])
        number = await stage.call("call-7")
        ended = asyncio.to_thread(stage.platform.site.run, PROGRAM, "end", stage.slug, number)
        await ended
        await eventually(lambda: {"call-7", "call-7-b"} <= set(stage.switch.killed))


async def test_a_full_pool_refuses_and_a_later_call_gets_the_number(stage: Stage) -> None:
    async with stage.connected():
        await stage.register(stage.numbers[0])
        await stage.call("call-9")
        with pytest.raises(AssertionError, match="exhausted"):
            await stage.call("call-10")
        stage.switch.channels.clear()
        await stage.switch.say(of_call("hangup b", "call-9"))
        await stage.switch.say(of_call("hangup a", "call-9"))
        await stage.reached(stage.numbers[0], "idle+up")
        assert (await stage.call("call-11")).endswith(stage.numbers[0])


async def test_numbers_of_a_gateway_follow_its_state(stage: Stage) -> None:
    number = stage.numbers[2]
    stage.switch.gateways["carrier"] = "REGED"
    async with stage.connected(gateways={"carrier": (number,)}):
        await stage.reached(number, "idle+up")  # from the list, at the beginning
        for state in ("EXPIRED", "TRYING", "REGED"):  # a refresh
            await stage.switch.say(event("gateway up", State=state))
        await stage.switch.say(event("gateway up", State="FAIL_WAIT"))
        await stage.reached(number, "idle+down")
        await stage.switch.say(event("gateway up", State="REGED"))
        await stage.reached(number, "idle+up")


@pytest.mark.parametrize("size", [1, 7, 1_000])
async def test_frames_may_come_in_pieces_of_any_size(stage: Stage, size: int) -> None:
    stage.switch.piece_bytes = size
    async with stage.connected():
        await stage.register(stage.numbers[0])


@pytest.mark.parametrize(
    "broken",
    [
        b"Content-Length: 500\nContent-Type: text/event-json\n\n{",  # and then the end
        b"Content-Length: many\n\n",
        b"Content-Length: 1\nContent-Type: text/event-json\n\n{",
        b"Content-Type: command/reply\nReply-Text: +OK\n\n",
        b"Content-Type: text/disconnect-notice\nContent-Length: 0\n\n",
        b"Content-Type: text/rude-rejection\nContent-Length: 4\n\nno.\n",
    ],
)
async def test_after_a_broken_frame_it_connects_again_and_reads_everything_anew(
    stage: Stage, broken: bytes
) -> None:
    async with stage.connected():
        before = stage.switch.connections
        number = stage.numbers[0]
        stage.switch.registrations = [registration(number)]
        await stage.switch.raw(broken)
        if b"500" in broken:
            stage.switch.cut()
        await stage.reached(number, "idle+up")
        assert stage.switch.connections > before


async def test_a_list_that_freeswitch_cannot_give_releases_nothing(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.connected() as daemon:
        await stage.register(stage.numbers[0])
        number = await stage.call("call-8")
        asked = stage.switch.connections
        pauses: list[int] = []
        monkeypatch.setattr(daemons, "pause_seconds", lambda failures: pauses.append(failures) or 0)
        for answer in ("-ERR no database\n", '{"row_count": 7}', "[]", ""):
            stage.switch.answers["show channels as json"] = answer
            await eventually(lambda before=asked: stage.switch.connections > before + 1)
            asked = stage.switch.connections
        assert pauses[1:8] == list(range(1, 8))  # more and more slowly, though it lets us in
        assert await stage.state(number) == "busy+up"
        assert "call-8" in daemon.calls
        stage.switch.answers.clear()
        await stage.register(stage.numbers[1])
        assert await stage.state(number) == "busy+up"


async def test_a_wrong_password_is_said_and_tried_again_slowly(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    stage.switch.password = "another"
    async with running(stage.daemon()):
        await eventually(lambda: stage.switch.connections >= 3)
        assert "refused the password" in caplog.text
        stage.switch.password = PASSWORD
        await eventually(lambda: stage.switch.heard)


async def test_it_ends_when_it_is_asked_to_and_sends_what_waits(stage: Stage) -> None:
    daemon, stop = stage.daemon(), asyncio.Event()
    task = asyncio.create_task(daemon.run(stop))
    await eventually(lambda: stage.switch.heard and daemon.pool.as_of_us)
    await stage.switch.say(event("register", from_user=stage.numbers[0]))
    await eventually(lambda: len(daemon.outbox) or daemon.lines._up)
    stop.set()
    await task
    assert await stage.state(stage.numbers[0]) == "idle+up"


async def test_as_a_process_it_reports_and_ends_when_told(stage: Stage, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(PASSWORD)
    config = tmp_path / "c.toml"
    config.write_text(
        f'[platform]\nurl = "http://127.0.0.1:{stage.platform.proxy.port}"\n'
        f'pool = "{stage.slug}"\ntoken = "{stage.token}"\n'
        f'[freeswitch]\nswitch = "fs-01"\nport = {stage.switch.port}\npassword_file = "secret"\n'
    )
    log = tmp_path / "log"
    process = stage.platform.site.start(log, "integrations.freeswitch", "--config", str(config))
    try:
        await eventually(lambda: stage.switch.heard, evidence=log.read_text)
        await stage.register(stage.numbers[0])
        process.terminate()
        assert await asyncio.to_thread(process.wait, patient(30)) == 0
    finally:
        end(process)
    said = log.read_text()
    assert "connected to FreeSWITCH" in said
    assert "Traceback" not in said
    assert stage.token not in said


def test_the_events_sent_are_those_of_the_document(platform: Platform) -> None:
    """The server's OpenAPI document has every field that a report may carry."""
    url = f"http://127.0.0.1:{platform.server.port}/api/v1/openapi.json"
    schemas = httpx.get(url, timeout=patient(30)).json()["components"]["schemas"]
    known = set(schemas["Event"]["properties"])
    for report in (
        hang_up("c", Ending("USER_BUSY", answered=True)),
        register("138", "x", seq=1, until=1.0),
        unregister("138", "x", seq=1),
    ):
        assert set(json.loads(json.dumps(report.event))) <= known
