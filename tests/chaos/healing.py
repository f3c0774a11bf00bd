"""The demo recovers without help after it was starved of its web process or of the CPU.

`python -m tests.chaos.healing [--stop 120] [--busy 600]` starts a demo and notes its usual figures
from /metrics. It stops the web process for a while, then lets busy loops compete with the whole
demo. After each it prints how long it took until pools, desks, gates and groups were as before, and
exits with 1 if that was more than a minute.
"""

import argparse
import contextlib
import http.client
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.demo import DemoRun

TOKEN = "healing"
WARM_SECONDS = 60.0
USUAL_SECONDS = 60.0
SAMPLE_SECONDS = 3.0
HEALED_SECONDS = 60.0
GIVEN_UP_SECONDS = 300.0
AGREEING = 3  # samples in a row that are as usual
LOOPS = 4
RATE_SAMPLES = 5  # calls a second are counted over this many samples
WATCHED = "pool_numbers|pool_calls_total|line_queue|gate_permits|dispatch_level"
LINE = re.compile(rf"^poolsite_({WATCHED})\{{(.*)\}} (\S+)$", re.MULTILINE)
LABEL = re.compile(r'(\w+)="([^"]*)"')
CARRIED, CALLS = "calls carried", "calls a second"
Figures = dict[str, float]


def figures_of(metrics: str) -> Figures:
    """Return the watched figures: offline numbers, calls carried so far, agents online, permits in
    use, peers, sessions. Calls in progress are left out: after an outage their number grows again
    for as long as a call takes.
    """
    found: Figures = {}

    def add(name: str, value: float) -> None:
        found[name] = found.get(name, 0.0) + value

    for kind, labels, text in LINE.findall(metrics):
        label, value = dict(LABEL.findall(labels)), float(text)
        if kind == "pool_numbers":
            add(f"{label['pool']} offline", value if label["state"].endswith("_down") else 0.0)
        elif kind == "pool_calls_total" and label["outcome"] == "carried":
            add(CARRIED, value)
        elif kind == "line_queue" and label["what"] == "online":
            add(f"{label['queue']} online", value)
        elif kind == "gate_permits" and label["what"] == "used":
            add(f"{label['gate']} used", value)
        elif label.get("what") in ("active", "sessions"):
            add(f"{label['group']} {label['what']}", value)
    return found


@dataclass(frozen=True)
class Usual:
    """The range of each figure while nothing was wrong."""

    ranges: Mapping[str, tuple[float, float]]

    @classmethod
    def of(cls, samples: Sequence[Figures]) -> "Usual":
        """Return the ranges of these samples."""
        return cls(
            {
                name: (
                    min(s.get(name, 0.0) for s in samples),
                    max(s.get(name, 0.0) for s in samples),
                )
                for name in samples[0]
            }
        )

    def unusual(self, now: Figures) -> list[str]:
        """Return a sentence for each figure that is too low (for offline numbers: too high)."""
        found = []
        for name, (low, high) in self.ranges.items():
            value, slack = now.get(name, 0.0), max(0.0 if name == CALLS else 3.0, 0.15 * high)
            wrong = value > high + slack if name.endswith(" offline") else value < low - slack
            if wrong:
                found.append(f"{name} {value:.3g} (usually {low:.3g} to {high:.3g})")
        return found


class WatchedDemo:
    """A running demo, watched only through /metrics."""

    def __init__(self, demo: DemoRun) -> None:
        self._demo = demo
        self._carried: deque[tuple[float, float]] = deque(maxlen=RATE_SAMPLES)

    def figures(self) -> Figures:
        """Read the figures, with the pace of calls. Raise OSError if the page does not answer."""
        found = self._read()
        self._carried.append((time.monotonic(), found.pop(CARRIED)))
        (began, before), (at, total) = self._carried[0], self._carried[-1]
        if at > began:
            found[CALLS] = (total - before) / (at - began)
        return found

    def _read(self) -> Figures:
        connection = http.client.HTTPConnection("127.0.0.1", self._demo.port, timeout=10)
        with contextlib.closing(connection):
            connection.request("GET", "/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
            return figures_of(connection.getresponse().read().decode())

    def usual(self) -> Usual:
        """Watch the demo for a minute and return its usual figures."""
        for _ in range(RATE_SAMPLES):
            self.figures()
            time.sleep(SAMPLE_SECONDS)
        samples, end = [], time.monotonic() + USUAL_SECONDS
        while time.monotonic() < end:
            samples.append(self.figures())
            time.sleep(SAMPLE_SECONDS)
        return Usual.of(samples)

    def healed_after(self, usual: Usual) -> float:
        """Return the seconds until the figures are usual and stay so.

        Raise TimeoutError after minutes.
        """
        began = time.monotonic()
        self._carried.clear()
        agreed_at, agreeing, said = 0.0, 0, ["nothing was read"]
        while time.monotonic() - began < GIVEN_UP_SECONDS:
            try:
                said = usual.unusual(self.figures())
            except OSError as error:
                said = [f"no answer: {error!r}"]
            agreeing = 0 if said else agreeing + 1
            if agreeing == 1:
                agreed_at = time.monotonic() - began
            if agreeing == AGREEING:
                return agreed_at
            time.sleep(SAMPLE_SECONDS)
        raise TimeoutError("; ".join(said))

    @contextlib.contextmanager
    def web_stopped(self) -> Iterator[None]:
        """Send SIGSTOP, and SIGCONT at the end."""
        web = self._demo.pid_of("uvicorn")
        os.kill(web, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(web, signal.SIGCONT)


@contextlib.contextmanager
def busy_loops() -> Iterator[None]:
    """Run loops that take the CPU that the demo leaves, and some of what it needs."""
    loop = ["nice", "-n", "5", sys.executable, "-c", "while True: pass"]
    loops = [subprocess.Popen(loop) for _ in range(LOOPS)]
    try:
        yield
    finally:
        for each in loops:
            each.kill()
            each.wait()


def main() -> int:
    """Starve and watch. Return 0 if the demo recovered within a minute each time."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.healing")
    parser.add_argument("--stop", type=float, default=120.0, help="seconds without the web process")
    parser.add_argument("--busy", type=float, default=600.0, help="seconds beside busy loops")
    options = parser.parse_args()
    os.environ["POOLSITE_METRICS_TOKEN"] = TOKEN
    with tempfile.TemporaryDirectory(prefix="poolsite-healing-") as folder:
        demo = DemoRun(Path(folder)).start()
        try:
            watched = WatchedDemo(demo.ready())
            time.sleep(WARM_SECONDS)
            usual = watched.usual()
            healed = []
            for name, starved, seconds in (
                ("web stopped", watched.web_stopped, options.stop),
                ("busy loops", busy_loops, options.busy),
            ):
                if seconds <= 0:
                    continue
                with starved():
                    time.sleep(seconds)
                healed.append(watched.healed_after(usual))
                print(f"{name} for {seconds:.0f} s: as usual after {healed[-1]:.1f} s", flush=True)
        finally:
            demo.end()
    return 0 if healed and max(healed) <= HEALED_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
