"""Devices at one gate over real HTTP while web processes are killed: what must be true, in figures.

DEVICES=10000 python -m tests.chaos.gate_proof

Two uvicorn processes serve the hot lane; now and then one is killed (kill -9) and started again,
and its devices go to the other one. Reports get lost, doubled, delayed and reordered. The external
system is a separate process, which counts its own clients and logs each change. Each
task takes at least five report periods. The proof fails unless

- the external system never counted more clients than the cap,
- every task ended exactly once, in Redis and in SQL alike,
- no permit is left, and
- with three times the cap and more waiting, at least 95 % of the cap were in use.

Environment: DEVICES (how many, 10 000), SEED. It ends when every task has ended; 10 000 take about
half an hour.
"""

import json
import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from poolsite import hotpath
from poolsite.runtime.redis_server import RedisServer
from queueing.admission import gate as commands
from tests.chaos.gate_proof_site import PREFIX
from tests.chaos.gate_verdict import (
    SPREAD,
    BrokenProofError,
    Size,
    Verdict,
    large,
    mean_while_full,
)
from tests.live.servers import Site, WebServer
from tests.support.ports import free_port
from tests.support.processes import Process, end

SLUG = "proof"
TAG = commands.GateKeys(SLUG).tag


@dataclass
class Proof:
    """The processes of one run, in one folder."""

    size: Size
    folder: Path
    seed: int = 7
    _children: list[Process] = field(default_factory=list)

    def run(self) -> Verdict:
        """Run until every task has ended, and return what was counted. End every process."""
        verdict = Verdict(self.size)
        began = time.monotonic()
        with ExitStack() as stack:
            server = RedisServer(folder=self.folder / "redis", append_only=True).start()
            stack.callback(server.stop)
            self._site = Site(self.folder / "site", server.url)
            self._site.migrate()
            self._make_gate()
            webs = [self._web(), self._web()]
            stack.callback(lambda: [web.stop() for web in webs])
            stack.callback(lambda: end(*reversed(self._children)))
            self._start(webs)
            self._path = hotpath.HotPath(server.url)
            stack.callback(self._path.close)
            self._watch(webs, verdict)
            self._judge(verdict)
        verdict.seconds = time.monotonic() - began
        return verdict

    # -- processes ---------------------------------------------------------------------------

    def _make_gate(self) -> None:
        size = self.size
        settings = {
            "slug": SLUG,
            "cap": size.cap,
            "period_seconds": size.period_seconds,
            "permit_seconds": size.permit_seconds,
            "margin_seconds": size.margin_seconds,
        }
        words = ["make", json.dumps(settings), str(size.devices)]
        made = json.loads(self._site.run("-m", "tests.chaos.gate_proof_site", *words))
        told = {"prefix": PREFIX, "devices": size.devices, **made, **settings}
        self._config.write_text(json.dumps({"gates": [told]}))

    @property
    def _config(self) -> Path:
        return self.folder / "simulation.json"

    @property
    def external_log(self) -> Path:
        """Return the log in which the external system records every change of its count."""
        return self.folder / "external.jsonl"

    def _web(self) -> WebServer:
        return WebServer(self._site, "uvicorn", application="poolsite.asgi:application").start()

    def _start(self, webs: Sequence[WebServer]) -> None:
        port = str(free_port())
        told = ["--config", str(self._config), "--gate", SLUG, "--url"]
        one, two = (f"http://127.0.0.1:{web.port}" for web in webs)
        log = ["--log", str(self.external_log), "--strong", str(self.size.cap)]
        self._child("ticker", "tests.admission.gate_ticker")
        self._child("external", "integrations.simulator.external", *told, one, "--port", port, *log)
        work = ["--work-seconds", str(self.size.work_seconds), "--work-spread", str(SPREAD)]
        for number, url in enumerate((f"{one},{two}", f"{two},{one}"), start=1):
            part = ["--part", f"{number}/2", "--seed", str(self.seed), *work]
            place = ["--external", f"http://127.0.0.1:{port}"]
            name = "integrations.simulator.devices"
            self._child(f"devices-{number}", name, *told, url, *place, *part)

    def _child(self, name: str, module: str, *words: str) -> None:
        self._children.append(self._site.start(self.folder / f"{name}.log", module, *words))

    # -- the run -----------------------------------------------------------------------------

    def _watch(self, webs: Sequence[WebServer], verdict: Verdict) -> None:
        """Kill and sample until the batch is finished and no permit is held."""
        chance = random.Random(self.seed)
        next_kill = time.monotonic() + self.size.kill_seconds
        next_line = 0.0
        shares: list[float] = []
        full = False
        while True:
            time.sleep(0.25)
            figures = self._path.run(commands.show(SLUG))
            assert figures is not None
            dead = [child.args for child in self._children if child.poll() is not None]
            assert not dead, f"a process ended by itself: {dead}; logs in {self.folder}"
            full = full or figures.used >= figures.cap
            if full and figures.waiting >= 3 * figures.cap:
                shares.append(figures.used / figures.cap)
            if self._ended(figures):
                break
            if time.monotonic() >= next_kill and all(web.serves() for web in webs):
                self._kill(chance.choice(webs))
                verdict.kills += 1
                next_kill = time.monotonic() + self.size.kill_seconds * chance.uniform(0.5, 1.5)
            if time.monotonic() >= next_line:
                next_line = time.monotonic() + 30.0
                say(
                    f"used {figures.used} of {figures.cap}, {figures.waiting} wait, {figures.done}"
                    f" done, {figures.failed} failed, {figures.expired} expired, {figures.late}"
                    f" late, {figures.refused} refused, {verdict.kills} kills"
                )
        verdict.samples = len(shares)
        verdict.use = sum(shares) / len(shares) if shares else 0.0

    def _ended(self, figures: commands.GateFigures) -> bool:
        over = figures.done + figures.failed >= self.size.devices
        return over and not figures.permits and figures.seq == figures.drained

    def _kill(self, web: WebServer) -> None:
        """Kill a web process and bring it back. Sampling continues meanwhile."""
        assert web.process is not None
        web.process.kill()
        web.process.wait()
        web.launch()

    def _judge(self, verdict: Verdict) -> None:
        moves = [json.loads(line) for line in self.external_log.read_text().splitlines()]
        verdict.most = max(move["count"] for move in moves)
        verdict.pieces = sum(move["step"] == 1 for move in moves)
        verdict.mean_external = mean_while_full(moves, self.size)
        for number in (1, 2):
            lines = (self.folder / f"devices-{number}.log").read_text().splitlines()
            told = [line for line in lines if line.startswith("{")]
            for name, value in json.loads(told[-1]).items():
                _sum(verdict.devices, name, value)
        said = self._site.run("-m", "tests.chaos.gate_proof_site", "judge", SLUG)
        verdict.sql = json.loads(said)
        client = self._path.client()
        holders = sum(name.startswith("=") for name in client.hkeys(TAG))
        verdict.left = {
            "permits": client.zcard(f"{TAG}:permits"),
            "holders": holders,
            "waiting": client.zcard(f"{TAG}:line"),
            "devices with a task": client.hlen(f"{TAG}:devices"),
        }


def _sum(into: dict[str, Any], name: str, value: Any) -> None:
    if isinstance(value, dict):
        inner = into.setdefault(name, {})
        for key, count in value.items():
            inner[key] = inner.get(key, 0) + count
    else:
        into[name] = into.get(name, 0) + value


def say(text: str) -> None:
    """Print a line of the run, with the time of day."""
    print(f"{time.strftime('%H:%M:%S')} proof: {text}", flush=True)


def main() -> int:
    """Return 0 if everything held, 1 if not. The folder of a failed run is not deleted."""
    size = large(int(os.environ.get("DEVICES") or 10_000))
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    folder = tempfile.mkdtemp(prefix="poolsite-proof-", dir="/tmp")  # short: socket paths
    say(f"{asdict(size)}; logs in {folder}")
    verdict = Proof(size, Path(folder), int(os.environ.get("SEED") or 7)).run()
    print(json.dumps(asdict(verdict), indent=1))
    try:
        verdict.check()
    except BrokenProofError as error:
        say(f"BROKEN: {error}; logs in {folder}")
        return 1
    say("every claim held")
    return 0


if __name__ == "__main__":
    sys.exit(main())
