"""The judge and the registry of faults: what they must notice, without the processes."""

import contextlib
import itertools
import json
import random
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import redis

from poolsite.runtime.redis_server import RedisServer
from tests.chaos import __main__ as campaign_module
from tests.chaos import invariants
from tests.chaos.faults import FAULTS, fault
from tests.chaos.invariants import BrokenInvariantError
from tests.chaos.processes import ROOT, StackProcess, Watch
from tests.chaos.redis_node import RedisNode, SmallDisk, faketime_library
from tests.support.processes import family
from tests.support.waiting import patient, until

pytestmark = pytest.mark.processes


class FakeStack:
    """What the judge reads: logs on disk, and answers that the test sets."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.call_logs = [folder / "calls-1.jsonl", folder / "calls-2.jsonl"]
        for path in self.call_logs:
            path.write_text("")
        switch = {"name": "s", "token": "t", "lines": ["+1", "+2"]}
        self.simulation = {"pools": [{"slug": "one", "switches": [switch]}]}
        self.pools = ["one"]
        self.unready: dict[int, str] = {}
        self.closed: dict[str, str] = {}
        self.reconcile = 0
        self.calls = 0
        self.busy: dict[str, list[str]] = {}
        self.rows: dict[str, list[tuple[Any, ...]]] = {}
        self.fields = {"generation": "5", "seq": "9"}

    def log(self, at: int, op: str, call: str, *, file: int = 0, end: str = "\n") -> None:
        record = {"at_us": at, "op": op, "switch": "s", "number": "+1", "call_id": call}
        with self.call_logs[file].open("a") as log:
            log.write(json.dumps(record) + end)

    def webs_not_ready(self) -> dict[int, str]:
        self.calls += 1
        self.log(self.calls * 10, "begin", f"c{self.calls}")
        self.log(self.calls * 10 + 1, "end", f"c{self.calls}")
        return self.unready

    def pools_not_open(self) -> dict[str, str]:
        return self.closed

    def manage(self, *_: str) -> Any:
        return SimpleNamespace(returncode=self.reconcile, stdout="drift", stderr="")

    def busy_numbers(self) -> dict[str, list[str]]:
        return self.busy

    def pool_fields(self, _slug: str) -> dict[str, str]:
        return self.fields

    def sql(self, query: str, *_: object) -> list[tuple[Any, ...]]:
        table = next(name for name in TABLES if f"FROM {name}" in query)
        if table == "numbers_callrecord" and "ended_at IS NULL" in query:
            table = "open"
        return self.rows.get(table, DEFAULT_ROWS[table])


TABLES = ("numbers_callrecord", "history_cursor", "numbers_poolevent", "history_gaprecord")
DEFAULT_ROWS: dict[str, list[tuple[Any, ...]]] = {
    "open": [],
    "numbers_callrecord": [],
    "history_cursor": [("{one}", 5, 9)],
    "numbers_poolevent": [("one", 5, 9, 9)],
    "history_gaprecord": [],
}


@pytest.fixture
def stack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(invariants, "HEAL_SECONDS", 0.1)
    monkeypatch.setattr(invariants, "POLL_SECONDS", 0.02)
    return FakeStack(tmp_path)


def test_a_healthy_stack_is_healed(stack: Any) -> None:
    assert invariants.wait_until_healed(stack).seconds < 60


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("unready", {80: "redis"}, "redis"),
        ("closed", {"one": "r"}, "'one': 'r'"),
        ("reconcile", 1, "drift"),
    ],
)
def test_what_stays_red_is_named(stack: Any, name: str, value: Any, said: str) -> None:
    setattr(stack, name, value)
    with pytest.raises(BrokenInvariantError, match=said):
        invariants.wait_until_healed(stack)


def test_a_pool_that_lends_nothing_is_not_healed(stack: Any) -> None:
    stack.webs_not_ready = dict
    with pytest.raises(BrokenInvariantError, match="no call since the fault"):
        invariants.wait_until_healed(stack)


def test_overlaps_across_the_logs_are_found_and_a_torn_last_line_is_left_out(stack: Any) -> None:
    stack.log(1, "begin", "a")
    stack.log(2, "begin", "b", file=1, end="")
    assert invariants.no_number_in_two_calls(stack) == 1
    stack.call_logs[1].write_text("")
    stack.log(2, "begin", "b", file=1)
    with pytest.raises(BrokenInvariantError, match="1 overlapping calls"):
        invariants.no_number_in_two_calls(stack)


def test_at_rest_all_is_well(stack: Any) -> None:
    stack.log(1, "begin", "a")
    stack.rows["numbers_callrecord"] = [("a",)]
    invariants.everything_is_at_rest(stack, lossless=True)


@pytest.mark.parametrize(
    ("table", "rows", "said"),
    [
        ("open", [("one", "+1", "a", "now")], "1 call records are open"),
        ("history_cursor", [("{one}", 5, 8)], "not drained"),
        ("history_cursor", [("{one}", 4, 9)], "not drained"),
        ("numbers_poolevent", [("one", 5, 9, 8)], "holes"),
        ("history_gaprecord", [("{one}", 5, 2)], "holes"),
        ("numbers_callrecord", [("b",)], "1 calls that SQL does not know"),
    ],
)
def test_what_is_not_at_rest_is_named(
    stack: Any, table: str, rows: list[tuple[Any, ...]], said: str
) -> None:
    stack.log(1, "begin", "a")
    stack.rows["numbers_callrecord"] = [("a",)]
    stack.rows[table] = rows
    with pytest.raises(BrokenInvariantError, match=said):
        invariants.everything_is_at_rest(stack, lossless=True)


def test_a_hole_with_its_gap_record_is_accounted_for(stack: Any) -> None:
    stack.rows["numbers_poolevent"] = [("one", 5, 9, 7)]
    stack.rows["history_gaprecord"] = [("{one}", 5, 2)]
    invariants.everything_is_at_rest(stack, lossless=False)


def test_a_number_that_stays_busy_is_named(stack: Any) -> None:
    stack.busy = {"one": ["+1"]}
    with pytest.raises(BrokenInvariantError, match="still busy"):
        invariants.everything_is_at_rest(stack, lossless=False)


# -- the registry and the campaign --------------------------------------------------------------

SPECIFIED = {
    *(
        "kill_web",
        "kill_timers",
        "kill_worker",
        "kill_beat",
        "kill_redis",
        "kill_postgres",
        "kill_switches",
    ),
    *("pause_web", "pause_timers", "pause_worker", "pause_beat", "pause_redis", "pause_postgres"),
    *("pause_switches", "flush_redis", "empty_redis", "fail_over", "fill_disk", "lose_replies"),
    *("reset_connections", "cut_replies", "flush_scripts", "step_clock", "late_events", "deploy"),
    *("no_workers", "no_timers", "no_web", "starve_worker", "full_redis"),
    *("old_primary", "read_only_sql", "fill_sql_disk", "hot_account", "reconnect_storm"),
}


def test_every_specified_fault_is_there_and_those_that_lose_data_say_so() -> None:
    assert set(FAULTS) >= SPECIFIED
    losing = {name for name, its in FAULTS.items() if its.loses}
    assert losing == {"flush_redis", "empty_redis", "fail_over", "old_primary"}


def test_a_fault_is_registered_under_its_functions_name(monkeypatch: pytest.MonkeyPatch) -> None:
    @fault(loses=True)
    def a_new_fault(_stack: Any, _chance: random.Random) -> str:
        return "done"

    assert FAULTS.pop("a_new_fault").loses


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("FAULTS", "kill_web no_such", "No such faults: no_such"),
        ("SEED", "x", "SEED and SECONDS are numbers"),
        ("SECONDS", "-1", "not a number of seconds"),
        ("SECONDS", "nan", "not a number of seconds"),
    ],
)
def test_a_wrong_request_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: Any, name: str, value: str, said: str
) -> None:
    monkeypatch.setenv(name, value)
    assert campaign_module.main() == 2
    assert said in capsys.readouterr().err


def test_one_seed_gives_one_order_of_faults(monkeypatch: pytest.MonkeyPatch, stack: Any) -> None:
    def orders() -> list[str]:
        order: list[str] = []
        its = campaign_module.Campaign(7, 0.0, list(FAULTS), calm_seconds=0.0)
        monkeypatch.setattr(
            campaign_module.Campaign, "_inject", lambda self, _, name, chance: order.append(name)
        )
        monkeypatch.setattr(campaign_module, "wait_until_healed", lambda _stack: None)
        monkeypatch.setattr(campaign_module.Campaign, "_judge_at_rest", lambda *_: None)
        stack.redis = SimpleNamespace(disk=SimpleNamespace(mounted=True), clock=True)
        stack.sql_disk = SimpleNamespace(mounted=True)
        stack.release = ROOT
        its.run(stack)
        return order

    first = orders()
    assert first == orders()
    assert len(first) == len(set(first)) >= len(SPECIFIED) - 1


# -- processes and Redis ------------------------------------------------------------------------


def test_the_watch_brings_back_what_died_and_a_stop_is_for_good(tmp_path: Path) -> None:
    sleeper = [sys.executable, "-c", "import time; time.sleep(600)"]
    process = StackProcess("sleeper", sleeper, {}, tmp_path)
    watch = Watch([process])
    process.start()
    watch.start()
    try:
        first = process.process
        process.kill()
        until(lambda: process.starts == 2)
        assert process.process is not first
        assert process.alive
    finally:
        watch.stop()
        process.stop()
    assert not process.alive
    assert not process.wanted


def test_the_family_of_a_process_is_itself_and_all_below(tmp_path: Path) -> None:
    parent = subprocess.Popen(["sh", "-c", "sleep 600 & wait"])
    try:
        until(lambda: len(family(parent.pid)) == 2)
    finally:
        for pid in family(parent.pid)[::-1]:
            subprocess.run(["kill", "-9", str(pid)], check=True)
        parent.wait()
    assert family(parent.pid) == []


def _write_until_it_dies(primary: RedisServer, written: list[str]) -> None:
    """Write until the primary dies: its last writes are in the time that the replica misses."""
    with primary.client() as client, contextlib.suppress(redis.RedisError):
        for number in itertools.count():
            client.set(f"key-{number}", "1" * 100)
            written.append(f"key-{number}")
            time.sleep(0.01)  # waits: the pace of the load


def test_a_promoted_replica_lacks_what_it_was_not_told(tmp_path: Path) -> None:
    node = RedisNode(tmp_path / "r")
    try:
        node.start()
        first = node.server
        with node.client() as client:
            client.set("kept", "1")
        written: list[str] = []
        writer = threading.Thread(target=_write_until_it_dies, args=(first, written))
        writer.start()
        missed = node.fail_over(patient(0.5))
        writer.join()
        with node.client() as client:
            assert missed > 100
            assert client.get("kept") == "1"
            assert client.get(written[-1]) is None
            assert client.info("replication")["role"] == "master"
    finally:
        node.stop()


def test_an_old_primary_takes_nothing_once_its_replica_is_promoted(tmp_path: Path) -> None:
    node = RedisNode(tmp_path / "redis").start()
    try:
        with node.client() as client:
            client.set("before", 1)
        old = node.keep_old_primary(0.5)
        with old.client() as client, pytest.raises(redis.RedisError, match=r"(?i)good replicas"):
            client.set("after", 1)
        with node.client() as client:
            assert client.get("before") == "1"
            client.set("after", 1)
        node.demote(old)
        node.end_old_primary(old)
        with redis.Redis.from_url(node.url, decode_responses=True) as client:
            assert client.get("after") == "1"
    finally:
        node.stop()


def test_a_full_disk_refuses_writes_until_there_is_room(tmp_path: Path) -> None:
    disk = SmallDisk(tmp_path / "disk")
    disk.mount()
    if not disk.mounted:  # without root there is no disk to fill, and make chaos prints NOT RUN
        stack: Any = SimpleNamespace(redis=SimpleNamespace(disk=disk))
        assert "root" in FAULTS["fill_disk"].not_run(stack)
        return
    try:
        disk.fill()
        with pytest.raises(OSError, match="No space left"):
            (disk.folder / "more").write_bytes(b"x" * 4096)
        disk.free()
        (disk.folder / "more").write_bytes(b"x" * 4096)
    finally:
        disk.unmount()
    assert not (disk.folder / "more").exists()


@pytest.mark.needs("faketime")
def test_the_clock_of_redis_steps_and_comes_back(tmp_path: Path) -> None:
    assert faketime_library()
    node = RedisNode(tmp_path / "r", clock=True)
    try:
        node.start()
        with node.client() as client:
            before = client.time()[0]
            node.step_clock(3_600)
            assert 3_600 <= client.time()[0] - before < 3_660
            node.step_clock(0)
            assert client.time()[0] - before < 60
    finally:
        node.stop()
