"""What the tests of the gate share: a gate under a clock that the test moves."""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import redis

from poolsite import hotpath
from poolsite.hotpath.routing import SERVER
from queueing.admission import gate
from tests.support.clock import ScriptClock

SLUG = "tower"
KEYS = gate.GateKeys(SLUG)
GENERATION = 1_600_000_000_000_000
FORMS = ("functions", "scripts")  # how the same operations reach Redis


@dataclass
class GateUnderTest:
    """A gate on a Redis. Every method runs one command and returns its result."""

    path: hotpath.HotPath
    client: Any  # a redis.Redis whose replies are text
    clock: ScriptClock | None = None
    settings: gate.GateSettings = field(default_factory=gate.GateSettings)

    def run(self, command: hotpath.Command[Any]) -> Any:
        return self.path.run(command)

    def create(self, **settings: Any) -> "GateUnderTest":
        self.settings = gate.GateSettings(**settings)
        assert self.run(gate.create(SLUG, GENERATION, self.settings)) == ""
        return self

    def raw(self, script: str, *words: str | int) -> list[str]:
        """Run a script as the seed's caller does: with only KEYS[1]."""
        return list(self.client.eval(gate.SCRIPTS[script].text, 1, KEYS.tag, *words))

    def wait(self, seconds: float) -> None:
        """Let time pass at a gate that gets requests meanwhile, so that it believes the clock."""
        assert self.clock is not None
        self.client.hset(KEYS.tag, "clock", self.clock.advance(seconds))

    def acquire(self, holder: str, weight: int = 1) -> gate.Permit:
        permit = self.run(gate.acquire(SLUG, holder, weight))
        assert isinstance(permit, gate.Permit)
        return permit

    def release(self, holder: str, token: int) -> gate.Ended:
        ended = self.run(gate.release(SLUG, holder, token))
        assert isinstance(ended, gate.Ended)
        return ended

    def renew(self, holder: str, token: int) -> gate.Permit:
        permit = self.run(gate.renew(SLUG, holder, token))
        assert isinstance(permit, gate.Permit)
        return permit

    def incr(self) -> tuple[bool, int]:
        counted = self.run(gate.incr(SLUG))
        return counted.changed, counted.count

    def decr(self) -> tuple[bool, int]:
        counted = self.run(gate.decr(SLUG))
        return counted.changed, counted.count

    def sweep(self) -> gate.GateSwept:
        swept = self.run(gate.sweep(SLUG))
        assert isinstance(swept, gate.GateSwept)
        return swept

    def show(self) -> gate.GateFigures:
        figures = self.run(gate.show(SLUG))
        assert isinstance(figures, gate.GateFigures)
        return figures

    def report(
        self, device: str, *results: gate.Result, renew: int | None = None
    ) -> gate.ReportReply:
        told = self.run(gate.reports(SLUG, [gate.DeviceReport(device, results, renew)]))
        assert len(told) == 1
        assert isinstance(told[0], gate.ReportReply)
        return told[0]

    def batch(
        self, batch: int, devices: list[str], *, seconds: int = 3_600, first: int = 1
    ) -> None:
        """Open a batch with one task for each device. Tasks count from `first`."""
        assert self.clock is not None
        self.run(gate.batch_open(SLUG, batch, self.clock.now_us + seconds * 1_000_000))
        rows = [
            gate.StoredTask(first + place, device, f"do {device}")
            for place, device in enumerate(devices)
        ]
        assert self.run(gate.load(SLUG, batch, rows)) == (len(rows), 0)

    def check_structure(self) -> None:
        """Check that all keys agree with each other and nothing is left over."""
        tag = KEYS.tag
        head = self.client.hgetall(tag)
        if not head:
            return
        held = {name[1:]: value for name, value in head.items() if name.startswith("=")}
        permits = self.client.zrange(f"{tag}:permits", 0, -1, withscores=True)
        assert {who: f"{score:.0f}" for who, score in permits} == {
            who: value[16:32] for who, value in held.items()
        }
        assert set(self.client.zrange(f"{tag}:anon", 0, -1)) == {w for w in held if w[0] == "#"}
        line = self.client.zrange(f"{tag}:line", 0, -1)
        assert set(line) == set(self.client.zrange(f"{tag}:seen", 0, -1))
        assert int(head["line"]) == len(line)
        self._check_weights(tag, held, line)
        log = self.client.xrange(f"{tag}:log")
        assert [entry for entry, _ in log] == [f"{n}-0" for n in range(1, int(head["seq"]) + 1)]
        self._check_tasks(tag, held)

    def _check_weights(self, tag: str, held: dict[str, str], line: list[str]) -> None:
        """Check that exactly the weights above 1 are in their set, to the slot."""
        counted: dict[str, int] = {}
        for member in self.client.zrange(f"{tag}:weights", 0, -1):
            deadline, who = member[1:].split(" ")
            assert deadline == held[who][16:32]
            counted[who] = counted.get(who, 0) + 2 ** (ord(member[0]) - ord("a"))
        told = {who: value[48:].partition("w")[2].rstrip("r") for who, value in held.items()}
        assert counted == {who: int(weight) - 1 for who, weight in told.items() if weight}
        waiting = self.client.zrange(f"{tag}:heavy", 0, -1)
        named = dict(member[1:].split(" ") for member in waiting if member[0] == "=")
        summed: dict[str, int] = {}
        for member in waiting:
            if member[0] != "=":
                arrival, who = member[1:].split(" ")
                assert int(arrival) == int(self.client.zscore(f"{tag}:line", who))
                summed[who] = summed.get(who, 0) + 2 ** (ord(member[0]) - ord("a"))
        assert summed == {who: int(weight) for who, weight in named.items()}
        assert set(named) <= set(line)

    def _check_tasks(self, tag: str, held: dict[str, str]) -> None:
        tasks = {t: r.split("\t") for t, r in self.client.hgetall(f"{tag}:tasks").items()}
        work = dict(self.client.zrange(f"{tag}:work", 0, -1, withscores=True))
        assert work == {
            task: int(record[4]) * 8 + "prdfx".index(record[0]) for task, record in tasks.items()
        }
        listed = {
            (device, task)
            for device, text in self.client.hgetall(f"{tag}:devices").items()
            for task in text.split()
        }
        assert listed == {(r[5], task) for task, r in tasks.items() if r[0] in "pr"}
        running = {"@" + r[5]: task for task, r in tasks.items() if r[0] == "r"}
        holding = {w: v[48:].lstrip("u").rstrip("r") for w, v in held.items() if w[0] == "@"}
        assert holding == running

    def changes(self) -> list[gate.GateChange]:
        """Return the whole history, oldest first."""
        return [gate.read_change(fields) for _, fields in self.client.xrange(f"{KEYS.tag}:log")]


@contextlib.contextmanager
def gate_on(url: str, clock: ScriptClock | None = None, form: str = "") -> Iterator[GateUnderTest]:
    """Yield a gate on the Redis at `url` that is not created yet.

    form: one of FORMS. By default the server decides.
    """
    path = hotpath.HotPath(url)
    if form == "scripts":
        path.planner.scripts_only.add(SERVER)
    client = redis.Redis.from_url(url, decode_responses=True)
    try:
        yield GateUnderTest(path, client, clock)
    finally:
        client.close()
        path.close()


@contextlib.contextmanager
def sweeping(bench: GateUnderTest, url: str) -> Iterator[None]:
    """Do the worker's sweeps in a separate process, every 50 ms."""
    code = (
        "import sys,time,redis;c=redis.Redis.from_url(sys.argv[1])\n"
        "while True:\n c.evalsha(sys.argv[2],1,'{gate.tower}','500');time.sleep(0.05)"
    )
    sha = bench.client.script_load(gate.SCRIPTS["sweep"].text)
    sweeper = subprocess.Popen([sys.executable, "-c", code, url, sha])
    try:
        yield
        assert sweeper.poll() is None
    finally:
        sweeper.kill()
        sweeper.wait()
