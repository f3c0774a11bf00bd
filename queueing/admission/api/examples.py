"""Example values of the OpenAPI document: a gate, its permits, and a batch of its tasks."""

from collections.abc import Mapping
from typing import Any, Final

from poolsite.api.examples import AT_US

TOKEN: Final = AT_US  # fencing tokens grow with the clock
DEADLINE: Final = AT_US + 60_000_000
TASK: Final = "speed-025.17"
HOLDER: Final = "worker-3"
PRINT: Final = "9f2c41d7"

EXAMPLES: Final[Mapping[str, Mapping[str, Any]]] = {
    "gates": {"slug": "speed-025", "do": "new", "batch": 418, "what": "pause", "reason": "Tests"},
    "devices": {"device": "probe-17"},
    "TaskResult": {
        "task": TASK,
        "token": TOKEN,
        "ok": True,
        "took_ms": 8_412,
        "data": {"download_mbps": 487.2},
    },
    "DeviceReport": {"results": [{"task": TASK, "token": TOKEN, "ok": True, "took_ms": 8_412}]},
    "TakenResult": {"task": TASK, "outcome": "accepted"},
    "ReportAnswer": {
        "task": "speed-025.18",
        "payload": "server=shanghai-2",
        "token": TOKEN + 1,
        "deadline": DEADLINE,
        "attempt": 1,
        "remaining_ms": 60_000,
        "retry_after": 60,
        "results": [{"task": TASK, "outcome": "accepted"}],
    },
    "AcquireIn": {"holder": HOLDER},
    "ReleaseIn": {"holder": HOLDER, "token": TOKEN, "ok": True, "took_ms": 8_412},
    "RenewIn": {"holder": HOLDER, "token": TOKEN},
    "ObserveIn": {"count": 24, "good": 310, "bad": 2, "took_ms": 812},
    "PermitAnswer": {
        "granted": True,
        "reason": "",
        "token": TOKEN,
        "deadline": DEADLINE,
        "remaining_ms": 60_000,
    },
    "ReleaseAnswer": {"released": True, "reason": ""},
    "CountAnswer": {"done": 1, "count": 24},
    "ObserveAnswer": {"cap": 25, "used": 24, "over": False},
    "GateOut": {
        "slug": "speed-025",
        "name": "Speed test server",
        "key": "speed-025",
        "cap": 25,
        "used": 24,
        "waiting": 6,
        "permit_seconds": 60,
        "margin_seconds": 5,
        "period_seconds": 60,
        "granted": 18_204,
        "refused": 1_310,
        "expired": 12,
        "overrun": 0,
    },
    "HolderOut": {
        "holder": "@probe-17",
        "token": TOKEN,
        "granted": AT_US,
        "deadline": DEADLINE,
        "task": TASK,
    },
    "KeyOut": {
        "key": "5f1d0a7be0c94c6d8a3b27f49e61c8d2047be35a91fc60d8be72413fa5c09e16",
        "signs": PRINT,
        "next": "",
    },
    "BatchIn": {
        "name": "Night of 1 March",
        "opens_at": "2026-03-01T22:00:00+08:00",
        "closes_at": "2026-03-02T06:00:00+08:00",
        "csv": "device,payload\nprobe-17,server=shanghai-2\n",
    },
    "BatchOut": {
        "id": 418,
        "name": "Night of 1 March",
        "gate": "speed-025",
        "state": "running",
        "opens_at": "2026-03-01T14:00:00Z",
        "closes_at": "2026-03-01T22:00:00Z",
        "total": 500,
        "pending": 318,
        "issued": 24,
        "done": 155,
        "failed": 2,
        "expired": 0,
        "late": 1,
    },
}
