"""What nginx's access log shows for each system: number of requests, speed, errors."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.support.percentiles import percentile

SYSTEMS = {
    "pools": "numbers",
    "gates": "gates",
    "devices": "gates",
    "queues": "desks",
    "visits": "desks",
    "desks": "desks",
    "agent": "desks",
    "accounts": "money",
    "groups": "dispatcher",
    "ws": "websockets",
}
SWITCHED = 101  # a websocket: its time is how long it stayed open


@dataclass(frozen=True)
class Request:
    """One answered request. `at` is the time of the answer, as a Unix time in whole seconds."""

    at: float
    system: str
    status: int
    seconds: float


@dataclass
class Served:
    """The requests of one system."""

    times: list[float] = field(default_factory=list)
    calm_times: list[float] = field(default_factory=list)
    errors: Counter[int] = field(default_factory=Counter)

    def figures(self, seconds: float) -> dict[str, Any]:
        """Return the rate, percentiles in ms and errors by status."""
        return {
            "requests": len(self.times),
            "per_second": round(len(self.times) / seconds, 1),
            "p50_ms": round(1_000 * percentile(self.times, 0.50)),
            "p99_ms": round(1_000 * percentile(self.times, 0.99)),
            "calm_p99_ms": round(1_000 * percentile(self.calm_times, 0.99)),
            "errors": {str(status): count for status, count in sorted(self.errors.items())},
        }


def read(path: Path) -> list[Request]:
    """Return the requests in the log's order. Websockets are included only if they were refused."""
    with path.open() as lines:
        facts = [json.loads(line) for line in lines if line.endswith("\n")]
    requests = [_request(fact) for fact in facts]
    return [request for request in requests if request.status != SWITCHED]


def _request(fact: dict[str, str]) -> Request:
    at = datetime.fromisoformat(fact["time"]).timestamp()
    return Request(at, _system(fact["path"]), int(fact["status"]), float(fact["seconds"]))


def _system(path: str) -> str:
    parts = path.strip("/").removeprefix("api/v1/").split("/")
    return SYSTEMS.get(parts[0], "other")


def by_system(
    requests: Iterable[Request], hurt: Sequence[tuple[float, float]]
) -> dict[str, Served]:
    """Count the requests of each system and of all systems together.

    Requests while no fault of `hurt` lasted count as calm.
    """
    found: dict[str, Served] = {"all": Served()}
    for request in requests:
        calm = not any(began <= request.at <= ended for began, ended in hurt)
        for name in ("all", request.system):
            served = found.setdefault(name, Served())
            served.times.append(request.seconds)
            if calm:
                served.calm_times.append(request.seconds)
            if request.status >= 400:
                served.errors[request.status] += 1
    return found
