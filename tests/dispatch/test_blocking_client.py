"""The library's blocking interface, used from several threads with a real web process."""

import asyncio
import re
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from integrations import dispatch_client
from integrations.dispatch_client import (
    BlockingFrontEnd,
    BlockingFrontHandler,
    BlockingInstance,
    BlockingInstanceHandler,
    NotStartedError,
    Outcome,
    StoppedError,
)
from tests.dispatch.stage import Stage
from tests.live.servers import WebServer
from tests.support.waiting import patient as longer
from tests.support.waiting import until

pytestmark = pytest.mark.processes


class Calls(BlockingFrontHandler):
    """What each session heard. The threads differ from the caller's."""

    def __init__(self) -> None:
        self.all: list[tuple[str, str, Any]] = []
        self.threads: set[str] = set()

    def message(self, session: str, body: Any) -> None:
        self.threads.add(threading.current_thread().name)
        self.all.append(("message", session, body))

    def ended(self, session: str, reason: str, body: Any) -> None:
        self.all.append(("ended", session, reason))

    def refused(self, session: str, what: str, reason: str) -> None:
        self.all.append(("refused", session, reason))


class Echo(BlockingInstanceHandler):
    """Sends everything back from within its handler, and waits there for the outcome."""

    def __init__(self) -> None:
        self.instance: BlockingInstance
        self.outcomes: list[Outcome] = []

    def message(self, session: str, body: Any) -> None:
        self.outcomes.append(self.instance.send(session, body).wait(longer(20)))


def test_threads_talk_with_an_instance(stage: Stage, web: WebServer, patient: str) -> None:
    settings, heard, echo = stage.settings(patient, web), Calls(), Echo()
    echo.instance = BlockingInstance(settings, echo, name="as-1", version="1", capacity=100)
    front = BlockingFrontEnd(settings, heard, profile="BICC", peer_id="front-1")
    with front, ThreadPoolExecutor(4) as threads:
        with pytest.raises(NotStartedError, match="none open"):
            front.start(seconds=longer(20))
        with echo.instance as instance:
            instance.wait_registered()
            started = [
                each.result()
                for each in [
                    threads.submit(front.start, n, seconds=longer(20), key=str(n)) for n in range(8)
                ]
            ]
            assert {each.instance for each in started} == {"as-1"}
            assert sorted(front.sessions) == sorted(each.session for each in started)
            sent = [front.send(each.session, n) for n, each in enumerate(started)]
            assert {each.wait(longer(20)) for each in sent} == {Outcome("accepted")}
            until(lambda: len(heard.all) >= 9)
            said = [(each.session, n) for n, each in enumerate(started)]
            messages = [(session, body) for what, session, body in heard.all if what == "message"]
            assert sorted(messages) == sorted(said)
            assert all(name.startswith("dispatch-handler") for name in heard.threads)
            until(lambda: echo.outcomes == [Outcome("accepted")] * 8)
            instance.end(started[0].session, "bye", failed=True)
            until(lambda: ("ended", started[0].session, "bye") in heard.all)
    ended = [session for what, session, _ in heard.all if what == "ended"]
    assert sorted(ended) == sorted(each.session for each in started)  # each once
    front.stop()  # a second time nothing happens
    with pytest.raises(StoppedError):
        front.send("front-1/1")


def test_whoever_waits_in_another_thread_is_told_that_the_peer_stopped(stage: Stage) -> None:
    settings = stage.settings("no-such-group")
    front = BlockingFrontEnd(
        type(settings)(["ws://127.0.0.1:9"], "none", "t"), Calls(), profile="BICC", peer_id="f"
    )
    front.start_link()
    begun = front.begin()
    with pytest.raises(TimeoutError):
        front.start(seconds=0.01)
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(begun.wait)
        front.stop()
        assert waiting.result() == Outcome("unknown", "stopped")
    assert begun.outcome == Outcome("unknown", "stopped")


def test_the_readmes_programs_talk_with_each_other(
    stage: Stage, web: WebServer, patient: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "poolsite_dispatch", dispatch_client)
    page = (Path(dispatch_client.__file__).parent / "README.md").read_text()
    page = page.replace("127.0.0.1:8000", f"127.0.0.1:{web.port}").replace("sip-east", patient)
    instance, front, blocking = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    told, said = threading.Event(), list[str]()
    scope = {
        "token": stage.token(),
        "until_told_to_stop": lambda: asyncio.to_thread(told.wait, longer(60)),
        "reject": lambda reason: said.append(f"rejected: {reason}"),
        "print": lambda *words: said.append(" ".join(map(str, words))),
    }

    def run(program: str) -> None:
        exec(program, scope | {"__name__": "program"})

    with ThreadPoolExecutor(1) as thread:
        serving = thread.submit(run, instance)
        until(lambda: any(row.state == "active" for row in stage.peers(patient).values()))
        for program in (front, blocking):
            said.clear()
            run(program)
            assert said[0].startswith("sip-1/")
            assert said[0].endswith(" is with as-3")
        assert "accepted " in said
        told.set()
        serving.result(longer(60))
