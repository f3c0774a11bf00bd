"""The daemon's parts separately: calls, lines, the queue, the delivery, the configuration."""

import asyncio
import itertools
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import httpx
import pytest
import websockets.asyncio.server as websockets
from hypothesis import given
from hypothesis import strategies as st

from integrations.freeswitch import Settings, delivery, load_settings, pushes
from integrations.freeswitch.calls import ENDED_LIMIT, Calls
from integrations.freeswitch.clock import SwitchClock
from integrations.freeswitch.connection import Connection
from integrations.freeswitch.delivery import Delivery
from integrations.freeswitch.lines import LATE_SECONDS, Lines
from integrations.freeswitch.outbox import Outbox
from integrations.freeswitch.pool import Pool
from integrations.freeswitch.reports import Ending, QueuedEvent, hang_up, register, unregister
from integrations.freeswitch.retrying import LONGEST_SECONDS, pause_seconds
from integrations.freeswitch.settings import SettingsError
from integrations.freeswitch.switch import kill
from tests.integrations.event_socket import event, of_call
from tests.support.waiting import eventually

FOLDER = Path(__file__).resolve().parents[2] / "integrations" / "freeswitch"
ENDS = [f"{name} {channel}" for channel in "ab" for name in ("hangup", "complete", "destroy")]


# -- calls -----------------------------------------------------------------------------------------


@given(st.permutations(ENDS), st.sets(st.sampled_from(["create a", "create b", "answer b"])))
def test_in_every_order_of_its_ends_a_call_ends_once_and_with_its_last_channel(
    order: list[str], seen: set[str]
) -> None:
    calls = Calls()
    for name in sorted(seen):
        calls.see(of_call(name, "c"))
    # Without its events a dialled channel is not known; then the caller's own channel is the call.
    known = {"a", "b"} if seen & {"create b", "answer b"} else {"a"}
    ended = []
    gone: set[str] = set()
    for name in order:
        gone.add(name[-1])
        if (end := calls.end(of_call(name, "c"))) is not None:
            ended.append(end)
            assert known <= gone
    assert ended == [("c", Ending("NORMAL_CLEARING", answered=True))]
    assert calls.live() == []


def test_the_cause_is_the_callers_when_both_are_known() -> None:
    calls = Calls()
    calls.see(of_call("create b", "c"))
    first = of_call("hangup a", "c") | {"Hangup-Cause": "ORIGINATOR_CANCEL"}
    second = of_call("hangup b", "c") | {"Hangup-Cause": "NORMAL_CLEARING"}
    assert calls.end(first | {"Caller-Channel-Answered-Time": "0"}) is None
    ended = calls.end(second | {"Caller-Channel-Answered-Time": "0"})
    assert ended == ("c", Ending("ORIGINATOR_CANCEL", answered=False))


def test_after_a_transfer_the_call_lives_in_the_channel_that_is_left() -> None:
    calls = Calls()
    calls.see(of_call("create b", "c"))
    assert calls.end(of_call("hangup a", "c")) is None
    assert calls.live() == [{"call_id": "c", "number": "13800000007"}]
    assert calls.channels_of("c") == ["c-b"]
    assert calls.end(of_call("destroy b", "c"))[0] == "c"


def test_channels_without_a_call_of_the_pool_are_left_alone() -> None:
    calls = Calls()
    calls.see(event("create a"))
    assert calls.live() == []
    told = event("hangup a")
    del told["variable_pool_call"]
    assert calls.end(told) is None
    assert calls.end({}) is None
    calls.see(event("create b") | {"variable_pool_call": "x" * 129})
    assert calls.live() == []


def test_a_channel_is_forgotten_when_two_lists_do_not_name_it() -> None:
    calls = Calls()
    calls.see(of_call("create b", "c"))
    calls.listed(["c"])
    calls.listed(["c-b", "c"])  # it was written late
    assert calls.channels_of("c") == ["c", "c-b"]
    calls.listed(["c-b"])
    calls.listed(["c-b"])
    assert calls.channels_of("c") == ["c-b"]
    calls.listed([])
    calls.listed([])
    assert "c" not in calls
    assert calls.end(of_call("hangup a", "c")) is None


def test_an_unknown_channel_is_asked_a_few_times_and_again_after_a_new_connection() -> None:
    calls = Calls()
    asked = [calls.unknown(["x"], ask_all=False) for _ in range(5)]
    assert asked == [["x"]] * 3 + [[]] * 2
    assert calls.unknown(["x"], ask_all=True) == ["x"]
    calls.carries("x", "x", "138")
    assert calls.unknown(["x"], ask_all=True) == []
    calls.end({"Unique-ID": "x"})
    assert calls.unknown(["x"], ask_all=True) == []  # its end was heard; the list is late


def test_what_it_remembers_of_ended_channels_is_bounded() -> None:
    calls = Calls()
    for serial in range(ENDED_LIMIT + 10):
        told = {"variable_pool_call": str(serial), "variable_pool_number": "138"}
        calls.see({"Unique-ID": str(serial), **told})
        calls.end({"Unique-ID": str(serial), **told})
    for serial in range(100):
        calls.unknown([f"other-{serial}"], ask_all=False)
    assert list(calls._asked) == ["other-99"]
    assert len(calls._ended) == ENDED_LIMIT
    assert not any((calls._call_of, calls._channels, calls._numbers, calls._endings))


# -- lines -----------------------------------------------------------------------------------------


def lines(*, multiple: bool = False, gateway: str = "") -> Lines:
    pattern = re.compile(r"\+?[0-9]{7,32}")
    clock = SwitchClock(lambda: 1_000.0, lambda: 1_763_693_000.0)
    gateways = {gateway: ("1390",)} if gateway else {}
    return Lines(pattern=pattern, multiple=multiple, gateways=gateways, clock=clock)


def test_a_refresh_is_a_registration_again_and_its_order_is_freeswitchs_time() -> None:
    mine = lines()
    first, second = mine.event(event("register")), mine.event(event("refresh"))
    assert [report.event["event"] for report in first + second] == ["reg", "reg"]
    assert first[0].event["seq"] == int(event("register")["Event-Date-Timestamp"])
    assert second[0].event["seq"] > first[0].event["seq"]
    assert first[0].until == 1_000.0 + 3_600 + LATE_SECONDS


def test_several_devices_of_a_number_are_told_apart_alike_in_events_and_lists() -> None:
    mine = lines(multiple=True)
    (from_event,) = mine.event(event("register"))
    row = {"reg_user": "13800000007", "expires": "9999999999"}
    url = "sofia/internal/sip:13800000007@10.0.0.9:5060;fs_nat=yes"
    mine.begin_list()
    (from_list,) = mine.listed([row | {"url": url}], 1_763_693_000_000_000)
    assert from_event.event["contact"] == "13800000007@10.0.0.9:5060"
    assert from_list.key == from_event.key
    gone = mine.listed([], 1_763_693_000_000_001)
    assert [(one.key, one.event["event"]) for one in gone] == [(from_event.key, "unreg")]


def test_a_list_says_what_is_gone_and_leaves_out_what_has_ended() -> None:
    mine = lines()
    mine.event(event("register"))
    rows: list[dict[str, Any]] = [
        {"reg_user": "1001", "url": "x", "expires": "9999999999"},
        {"reg_user": "13800000007", "url": "x", "expires": "1763692999"},
        {"reg_user": None, "expires": None},
        {},
    ]
    mine.begin_list()
    (report,) = mine.listed(rows, 1_763_693_001_000_000)
    assert report.event == {"event": "unreg", "number": "13800000007", "seq": 1_763_693_001_000_000}


def test_what_is_gone_already_is_not_said_again_by_a_list() -> None:
    for name in ("unregister", "expire"):
        mine = lines()
        mine.event(event("register"))
        mine.event(event(name))
        assert mine.listed([], 1_763_693_001_000_000) == []


def test_an_event_that_comes_with_a_list_is_newer_than_the_list() -> None:
    """Both may be read in one piece: then the list is read after the event."""
    mine = lines()
    row = {"reg_user": "13800000007", "url": "x", "expires": "9999999999"}
    for name, rows, later in (("register", [], "unreg"), ("unregister", [row], "reg")):
        mine.begin_list()
        mine.event(event(name))
        assert mine.listed(rows, 1_763_692_999_000_000) == []
        mine.begin_list()
        assert [one.event["event"] for one in mine.listed(rows, 1_763_693_001_000_000)] == [later]


def test_a_list_of_registrations_says_nothing_of_gateways() -> None:
    mine = lines(gateway="carrier")
    (up,) = mine.event(event("gateway up"))
    assert (up.event["event"], up.event["contact"], up.until) == ("reg", "gateway:carrier", None)
    for _ in range(2):
        assert mine.listed([], 1_763_693_001_000_000) == []
    assert mine.event(event("gateway up", Gateway="another")) == []
    assert mine.event(event("gateway up", State="TRYING")) == []
    (down,) = mine.event(event("gateway up", State="FAILED"))
    assert (down.key, down.event["event"]) == (up.key, "unreg")


@pytest.mark.parametrize("name", ["register", "unregister", "expire", "gateway up"])
def test_events_without_what_they_should_say_mean_nothing(name: str) -> None:
    told = event(name)
    bare = {key: told[key] for key in ("Event-Name", "Event-Subclass")}
    assert lines().event(bare) == []


def test_text_of_the_network_is_made_fit_for_the_pool() -> None:
    long = register("138", "sip:" + "x" * 600, seq=1, until=None).event["contact"]
    assert len(long) == 64
    assert unregister("138", "a\x00b\n", seq=1).event["contact"] == "a?b?"
    assert hang_up("c", Ending("C\r\n" + "x" * 400)).event["cause"] == "C??" + "x" * 61
    assert hang_up("c", Ending("\ud800")).event["cause"] == "?"


# -- the queue and its delivery ------------------------------------------------------------------


async def test_of_a_line_and_of_a_call_only_the_newest_report_waits() -> None:
    outbox = Outbox(10)
    outbox.put([register("1380", "", seq=1, until=None), hang_up("c", Ending())])
    outbox.put([unregister("1380", "", seq=2)])
    assert [report.event["event"] for report in await outbox.first(9)] == ["hangup", "unreg"]


async def test_what_was_replaced_while_it_was_sent_is_sent_again() -> None:
    outbox = Outbox(10)
    outbox.put([register("1380", "", seq=1, until=None)])
    sent = await outbox.first(9)
    outbox.put([unregister("1380", "", seq=2)])
    outbox.done(sent)
    assert len(outbox) == 1
    outbox.done(await outbox.first(9))
    await outbox.emptied()


async def test_too_many_reports_are_dropped_and_lists_are_read() -> None:
    outbox = Outbox(10)
    outbox.put(hang_up(str(serial), Ending()) for serial in range(11))
    assert (len(outbox), outbox.overflowed) == (0, True)


def delivering(
    answers: Any, monkeypatch: pytest.MonkeyPatch
) -> tuple[Delivery, Outbox, list[Any], list[float]]:
    """Return a delivery to a server with these answers, and lists of what was sent and waited."""
    sent: list[Any] = []
    waited: list[float] = []
    replies = iter(answers)
    here = asyncio.sleep

    def handle(request: httpx.Request) -> httpx.Response:
        sent.append(json.loads(request.content))
        reply = next(replies)
        if isinstance(reply, httpx.Response):
            return reply
        return httpx.Response(200, json=[{"status": reply, "as_of": 1} for _ in sent[-1]])

    async def no_sleep(seconds: float) -> None:
        waited.append(seconds)
        await here(0)

    monkeypatch.setattr(delivery.asyncio, "sleep", no_sleep)
    http = httpx.AsyncClient(transport=httpx.MockTransport(handle), base_url="http://pool")
    outbox = Outbox(100)
    made = Delivery(Pool(http, slug="east", token="t"), outbox)
    made.speak_as("fs-01", "core")
    return made, outbox, sent, waited


async def delivered(made: Delivery, outbox: Outbox) -> None:
    task = asyncio.create_task(made.run())
    await outbox.emptied()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
async def test_an_open_answer_is_asked_again_in_growing_pauses(status: int, monkeypatch) -> None:
    answers = [httpx.Response(status), status, httpx.Response(200, text="<html>")] * 4 + [200]
    made, outbox, sent, waited = delivering(answers, monkeypatch)
    outbox.put([hang_up("c", Ending("X"))])
    await delivered(made, outbox)
    event = {"event": "hangup", "call_id": "c", "cause": "X", "answered": False}
    assert sent == [[event | {"switch": "fs-01", "incarnation": "core"}]] * 13
    longest = [min(0.2 * 2**n, LONGEST_SECONDS) for n in range(12)]
    assert all(most / 2 <= pause <= most for pause, most in zip(waited, longest, strict=True))


async def test_the_pause_that_the_platform_names_is_kept(monkeypatch) -> None:
    limited = httpx.Response(429, headers={"Retry-After": "7"})
    far = httpx.Response(429, headers={"Retry-After": "99999"})
    made, outbox, sent, waited = delivering([limited, far, 200], monkeypatch)
    outbox.put([hang_up("c", Ending("X"))])
    await delivered(made, outbox)
    assert len(sent) == 3
    assert 7 <= waited[0] <= 7.7
    assert 60 <= waited[1] <= 66


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_a_refused_token_loses_no_report(status: int, monkeypatch) -> None:
    made, outbox, sent, waited = delivering([httpx.Response(status)] * 3 + [200], monkeypatch)
    outbox.put([hang_up("c", Ending()), hang_up("d", Ending())])
    await delivered(made, outbox)
    assert [len(batch) for batch in sent] == [2] * 4
    assert len(waited) == 3


async def test_one_report_that_spoils_a_batch_is_found_and_dropped(monkeypatch) -> None:
    answers = [httpx.Response(422), 200, httpx.Response(422), 200]
    made, outbox, sent, _ = delivering(answers, monkeypatch)
    outbox.put([hang_up(name, Ending()) for name in "abc"])
    await delivered(made, outbox)
    assert [[event["call_id"] for event in batch] for batch in sent] == [
        ["a", "b", "c"],
        ["a"],
        ["b"],
        ["c"],
    ]


async def test_a_registration_is_sent_with_what_is_left_of_its_time(monkeypatch) -> None:
    made, outbox, sent, _ = delivering([200], monkeypatch)
    now = asyncio.get_running_loop().time()
    waits = {"1381": now + 600.4, "1382": now - 5, "1383": now + 1e12, "1384": None}
    outbox.put(register(number, "", seq=1, until=until) for number, until in waits.items())
    await delivered(made, outbox)
    left = [event.get("expires") for event in sent[0]]
    assert left[0] in range(590, 601)
    assert left[1:] == [0, 365 * 86_400, None]


def test_pauses_grow_are_spread_and_bounded() -> None:
    pauses = [pause_seconds(failures) for failures in range(40) for _ in range(20)]
    assert all(0.1 <= pause <= LONGEST_SECONDS for pause in pauses)
    assert len(set(pauses)) > 700


async def test_no_command_can_hold_a_second_one() -> None:
    connection = Connection(lambda _: None, timeout_seconds=1)
    connection._writer = object()  # type: ignore[assignment]  # a double
    connection._task = asyncio.create_task(asyncio.sleep(0))
    with pytest.raises(ValueError, match="line break"):
        await connection.api("status\n\nexit")
    await kill(connection, "x\n\napi shutdown")  # not a channel: nothing is sent
    await connection._task


# -- the platform's websocket --------------------------------------------------------------------


async def test_pushes_are_heard_over_lost_sockets_and_nonsense(monkeypatch) -> None:
    waited: list[float] = []
    heard: list[str] = []
    tokens: list[str | None] = []
    pause = pushes.pause_seconds

    async def serve(socket: Any) -> None:
        tokens.append(socket.request.headers.get("Authorization"))
        if len(tokens) <= 6:
            await socket.close(4401, "not yet")
            return
        for frame in ("{", "[]", "7", b"\xff", '{"push":"news"}', '{"push":"hang up","call_id":7}'):
            await socket.send(frame)
        await socket.send(json.dumps({"push": "hang up", "call_id": f"c-{len(tokens)}"}))
        if len(tokens) == 7:
            socket.transport.abort()

    monkeypatch.setattr(pushes, "pause_seconds", lambda *args: waited.append(pause(*args)) or 0)
    async with websockets.serve(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        settings = Settings(
            url=f"http://127.0.0.1:{port}", pool="east", token="t", switch="s", password="p"
        )
        task = asyncio.create_task(pushes.listen(settings, heard.append))
        await eventually(lambda: "c-8" in heard)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert all(re.fullmatch("c-[0-9]+", call_id) for call_id in heard)
    assert set(tokens) == {"Bearer t"}
    longest = [min(0.2 * 2**n, pushes.LONGEST_PAUSE_SECONDS) for n in range(6)]
    assert all(most / 2 <= one <= most for one, most in zip(waited[:6], longest, strict=True))


# -- the configuration -----------------------------------------------------------------------------

EXAMPLE = FOLDER / "poolsite-freeswitch.example.toml"


def test_the_example_is_a_configuration(tmp_path: Path) -> None:
    (tmp_path / "retail-east.token").write_text("a-token\n")
    (tmp_path / "event-socket.password").write_text("secret\n")
    path = shutil.copy(EXAMPLE, tmp_path / "c.toml")
    settings = load_settings(Path(path))
    assert (settings.token, settings.password) == ("a-token", "secret")
    assert settings.pushes_url == "wss://console.example.com/ws/pools/retail-east/events/"
    assert settings.number_pattern.fullmatch("+8613800000007")
    assert not settings.number_pattern.fullmatch("1001")
    assert "secret" not in repr(settings)
    assert "a-token" not in repr(settings)


GOOD = """
[platform]
url = "http://x:1/"
pool = "east"
token = "t"
[freeswitch]
switch = "fs"
password = "p"
"""


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("", "["), "c.toml"),
        (("[platform]", "[platfrom]"), "platfrom"),
        (('pool = "east"', ""), "pool is missing"),
        (('pool = "east"', 'pool = "East"'), "slug"),
        (('pool = "east"', 'pool = "east"\ncolour = 1'), "colour is unknown"),
        (('"http://x:1/"', '"ftp://x"'), "url must look like"),
        (('"http://x:1/"', "7"), "must be text"),
        (('token = "t"', 'token_file = "nowhere"'), "token_file"),
        (('token = "t"', 'token = "t\\n"'), "printable"),
        (('token = "t"', 'token = ""'), "printable"),
        (('switch = "fs"', 'switch = "f s"'), "switch"),
        (('password = "p"', 'password = "p"\nport = "x"'), "a whole number"),
        (('password = "p"', 'password = "p"\nport = 0'), "between"),
        (('password = "p"', 'password = "p"\nevery_event = 1'), "true or false"),
        (('password = "p"', 'password = "p"\n[timing]\nlive_seconds = 90'), "between"),
        (('password = "p"', 'password = "p"\n[lines]\npattern = "("'), "pattern"),
        (('password = "p"', 'password = "p"\n[gateways]\na = ["x"]'), "a list of numbers"),
    ],
)
def test_a_wrong_configuration_is_one_sentence(
    tmp_path: Path, change: tuple[str, str], told: str
) -> None:
    path = tmp_path / "c.toml"
    path.write_text(GOOD.replace(*change, 1))
    with pytest.raises(SettingsError, match=re.escape(told)):
        load_settings(path)


def test_a_short_configuration_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text(GOOD + '[gateways]\n"c-1" = ["+8613800000001"]\n[timing]\nlive_seconds = 5\n')
    settings = load_settings(path)
    assert (settings.url, settings.port, settings.live_seconds) == ("http://x:1", 8021, 5.0)
    assert settings.gateways == {"c-1": ("+8613800000001",)}
    assert settings.pushes_url == "ws://x:1/ws/pools/east/events/"


# -- the package -----------------------------------------------------------------------------------


@pytest.mark.processes
def test_it_runs_alone_under_its_own_name(tmp_path: Path) -> None:
    project = tomllib.loads((FOLDER / "pyproject.toml").read_text())
    (package,) = project["tool"]["setuptools"]["packages"]
    shutil.copytree(FOLDER, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "c.toml").write_text(GOOD)
    for text, code in ((GOOD, 0), ("", 2)):
        (tmp_path / "c.toml").write_text(text)
        done = subprocess.run(
            [sys.executable, "-m", package, "--config", str(tmp_path / "c.toml"), "--check"],
            cwd=tmp_path,
            env={"PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stderr
    assert done.stderr.count("\n") == 1  # one sentence, no traceback


def test_it_imports_nothing_of_the_product() -> None:
    found = itertools.chain.from_iterable(
        re.findall(r"^(?:from|import) ([\w.]+)", path.read_text(), re.MULTILINE)
        for path in FOLDER.glob("*.py")
    )
    outside = {name.partition(".")[0] for name in found if not name.startswith(".")}
    assert outside - set(sys.stdlib_module_names) == {"httpx", "websockets"}


REPORT = QueuedEvent(("call", "c"), {"event": "hangup", "call_id": "c"})


def test_a_hang_up_without_a_cause_says_none() -> None:
    assert hang_up("c", Ending()) == REPORT
