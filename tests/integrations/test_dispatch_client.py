"""The client library's parts that need no dispatcher, and its installation without dependencies."""

import ast
import asyncio
import re
import shutil
import subprocess
import sys
import tomllib
import weakref
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.datastructures import Headers
from websockets.exceptions import InvalidStatus
from websockets.http11 import Response

from integrations import dispatch_client
from integrations.dispatch_client import Outcome, Sent, link
from integrations.dispatch_client import outgoing as outgoing_module
from integrations.dispatch_client.errors import StoppedError
from integrations.dispatch_client.incoming import Inbox, Serial
from integrations.dispatch_client.outgoing import Outgoing
from integrations.dispatch_client.sessions import Sessions

FOLDER = Path(__file__).resolve().parents[2] / "integrations" / "dispatch_client"


def _frames(count: int) -> list[dict[str, Any]]:
    return [{"op": "message", "body": n} for n in range(1, count + 1)]


async def _send(outgoing: Outgoing, count: int) -> list[tuple[int, int]]:
    sent = [await outgoing.next() for _ in range(count)]
    return [(frame["seq"], frame["body"]) for frame in sent]


async def test_unacknowledged_frames_go_again_in_order_under_their_numbers() -> None:
    outgoing = Outgoing(100)
    outgoing.begin(0, again=True)
    for frame in _frames(4):
        await outgoing.put(frame)
    await _send(outgoing, 3)
    await outgoing.acknowledge(1)
    outgoing.pause()
    outgoing.begin(2, again=True)  # the dispatcher processed the second as well
    assert await _send(outgoing, 2) == [(3, 3), (4, 4)]


async def test_frames_are_numbered_anew_for_a_dispatcher_that_forgot_everything() -> None:
    outgoing = Outgoing(100)
    outgoing.begin(0, again=True)
    for frame in _frames(3):
        await outgoing.put(frame)
    await _send(outgoing, 3)
    await outgoing.acknowledge(1)
    outgoing.begin(0, again=True)
    assert await _send(outgoing, 2) == [(1, 2), (2, 3)]
    await outgoing.acknowledge(2)
    assert len(outgoing) == 0


async def test_where_each_connection_is_new_what_was_sent_is_given_up_and_the_rest_kept() -> None:
    outgoing = Outgoing(100)
    outgoing.begin(0, again=True)
    for frame in _frames(3):
        await outgoing.put(frame)
    await _send(outgoing, 2)
    assert [frame["body"] for frame in outgoing.begin(0, again=False)] == [1, 2]
    assert await _send(outgoing, 1) == [(1, 3)]


async def test_a_send_waits_for_room_and_an_end_does_not() -> None:
    outgoing = Outgoing(2)
    outgoing.begin(0, again=True)
    for frame in _frames(2):
        await outgoing.put(frame)
    third = asyncio.create_task(outgoing.put({"op": "message", "body": 3}))
    await asyncio.sleep(0)
    assert not third.done()
    outgoing.put_nowait({"op": "end", "body": 4})
    await _send(outgoing, 3)
    await outgoing.acknowledge(2)
    await third
    assert await _send(outgoing, 1) == [(4, 3)]


async def test_who_waits_for_room_is_told_that_the_peer_stopped() -> None:
    outgoing = Outgoing(1)
    await outgoing.put({"op": "message"})
    waiting = asyncio.create_task(outgoing.put({"op": "message"}))
    await asyncio.sleep(0)
    await outgoing.close(StoppedError("stopped"))
    with pytest.raises(StoppedError):
        await waiting


@given(order=st.permutations(range(1, 9)))
def test_only_what_was_handled_without_a_gap_is_acknowledged(order: list[int]) -> None:
    inbox = Inbox()
    assert all(inbox.take(seq) for seq in range(1, 9))
    handled: set[int] = set()
    for seq in order:
        inbox.done(seq)
        handled.add(seq)
        assert inbox.handled == next(n for n in range(9) if n + 1 not in handled)


def test_repeats_are_dropped_and_a_gap_is_an_error() -> None:
    inbox = Inbox(received=5)
    assert inbox.take(6)
    assert not inbox.take(6)
    assert not inbox.take(2)
    with pytest.raises(ValueError, match="frame 8 after 6"):
        inbox.take(8)


async def test_jobs_of_one_session_keep_their_order_and_hold_up_no_other() -> None:
    serial, done, gate = Serial(), [], asyncio.Event()

    async def job(name: str, wait: bool) -> None:
        if wait:
            await gate.wait()
        done.append(name)
        if name == "a1":
            raise RuntimeError("a handler's fault")

    for name, wait in (("a1", True), ("a2", False), ("b1", False)):
        serial.submit(name[0], lambda name=name, wait=wait: job(name, wait))
    await asyncio.sleep(0)  # every task has begun
    assert done == ["b1"]
    gate.set()
    await serial.idle()
    assert done == ["b1", "a1", "a2"]


async def test_sessions_are_told_in_frames_of_a_thousand_and_the_last_says_so() -> None:
    sessions = Sessions()
    assert sessions.resync_frames() == [{"op": "resync", "sessions": [], "last": True}]
    for n in range(2000):
        sessions.add(f"f/{n}", "b")
    told = sessions.resync_frames(without={"f/0"})
    assert [(len(frame["sessions"]), frame["last"]) for frame in told] == [
        (1000, False),
        (999, True),
    ]


@pytest.mark.processes
def test_the_library_runs_by_itself_under_the_name_of_its_package(tmp_path: Path) -> None:
    project = tomllib.loads((FOLDER / "pyproject.toml").read_text())
    (package,) = project["tool"]["setuptools"]["packages"]
    assert project["tool"]["setuptools"]["package-dir"] == {package: "."}
    shutil.copytree(FOLDER, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import {package} as client;"
        "client.Instance, client.FrontEnd;"
        "ours = ('integrations', 'poolsite.', 'django', 'msgpack');"  # poolsite itself: the .pth
        "print([name for name in sys.modules if name.startswith(ours)])"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("header", "seconds"), [({"Retry-After": "7"}, 7.0), ({"Retry-After": "x"}, 0.0), ({}, 0.0)]
)
def test_the_pause_that_a_refused_handshake_names_is_read(
    header: dict[str, str], seconds: float
) -> None:
    limited = InvalidStatus(Response(429, "Too Many Requests", Headers(header)))
    assert link._named_seconds(limited) == seconds
    assert link._named_seconds(OSError("no route")) == 0.0


async def _sent(outgoing: Outgoing, *frames: dict[str, Any]) -> list[Sent]:
    sent = [await outgoing.put(frame) for frame in frames]
    for _ in sent:
        await outgoing.next()
    return sent


async def test_an_acknowledged_frame_is_accepted_unless_it_was_refused() -> None:
    outgoing = Outgoing(100)
    outgoing.begin(0, again=True)
    first, second, third, fourth = await _sent(outgoing, *_frames(4))
    outgoing.refuse(4, "peer pending")  # its notice may come before the acknowledgement
    await outgoing.acknowledge(4, {2, 4})
    assert [first.outcome, second.outcome] == [Outcome("accepted"), None]
    assert [third.outcome, fourth.outcome] == [
        Outcome("accepted"),
        Outcome("refused", "peer pending"),
    ]
    outgoing.refuse(2, "no such session")
    assert await second == Outcome("refused", "no such session")


async def test_after_a_lost_link_refusals_are_awaited_as_far_as_they_are_written() -> None:
    outgoing = Outgoing(100)
    outgoing.begin(0, again=True)
    first, second, third = await _sent(outgoing, *_frames(3))
    outgoing.begin(2, again=True, refusals_until=9)
    outgoing.heard(8)
    assert first.outcome is None
    outgoing.refuse(1, "all full")
    outgoing.heard(9)
    assert [first.outcome, second.outcome] == [Outcome("refused", "all full"), Outcome("accepted")]
    assert third.outcome is None  # sent again
    await outgoing.next()
    await outgoing.acknowledge(3)
    assert third.outcome == Outcome("accepted")


async def test_a_refusal_after_the_dispatcher_forgot_leaves_it_unknown() -> None:
    outgoing = Outgoing(100)
    outgoing.begin(0, again=True)
    first, second, third = await _sent(outgoing, *_frames(3))
    await outgoing.acknowledge(1, {1})
    outgoing.begin(0, again=True, forgot=True)
    assert first.outcome == Outcome("unknown", "the dispatcher lost its data")
    for _ in range(2):
        await outgoing.next()
    outgoing.refuse(1, "no such session")  # perhaps because it was processed before
    await outgoing.acknowledge(2, {1})
    assert [second.outcome, third.outcome] == [
        Outcome("unknown", "no such session"),
        Outcome("accepted"),
    ]


async def test_a_confirmed_start_is_known_when_an_instance_has_it_or_it_is_over() -> None:
    outgoing = Outgoing(100)
    outgoing.begin(0, again=True)
    starts = [{"op": "start", "session": f"f/{n}", "confirm": True} for n in range(4)]
    first, second, third, fourth = await _sent(outgoing, *starts)
    outgoing.started("f/0", "as-1")
    await outgoing.acknowledge(3)
    assert first.outcome == Outcome("accepted", "", "as-1")
    assert second.outcome is None
    outgoing.over("f/1", Outcome("refused", "instance lost"))
    assert second.outcome == Outcome("refused", "instance lost")
    outgoing.begin(0, again=True, forgot=True)
    assert third.outcome == Outcome("unknown", "the dispatcher lost its data")
    await outgoing.next()
    await outgoing.acknowledge(1)  # the instance had it before: it is not notified again
    assert fourth.outcome == Outcome("accepted")


async def test_an_end_that_was_refused_goes_again_and_keeps_its_outcome(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(outgoing_module, "AGAIN_SECONDS", 0.0)
    outgoing = Outgoing(100)
    outgoing.begin(0, again=True)
    (end,) = await _sent(outgoing, {"op": "end", "session": "f/1"})
    outgoing.refuse(1, "peer full", again=True)
    assert len(outgoing) == 2  # the first is not acknowledged yet
    await outgoing.acknowledge(1, {1})
    assert await outgoing.next() == {"op": "end", "session": "f/1", "seq": 2}
    assert end.outcome is None
    await outgoing.acknowledge(2)
    assert end.outcome == Outcome("accepted")
    assert len(outgoing) == 0


async def test_nothing_is_kept_for_those_who_ignore_outcomes() -> None:
    outgoing = Outgoing(100)
    outgoing.begin(0, again=True)
    kept = [weakref.ref(each) for each in await _sent(outgoing, *_frames(3))]
    await outgoing.acknowledge(3, {2})
    outgoing.refuse(2, "peer pending")
    assert [each() for each in kept] == [None] * 3


def test_every_example_of_the_readme_is_a_program() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (FOLDER / "README.md").read_text(), re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        compile(block, "README.md", "exec")
        for name in _imported(block):
            assert name in dispatch_client.__all__


def _imported(block: str) -> list[str]:
    froms = [each for each in ast.walk(ast.parse(block)) if isinstance(each, ast.ImportFrom)]
    return [each.name for line in froms for each in line.names]
