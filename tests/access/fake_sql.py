"""SQL as `rights.cache` sees it. A test can block and release it."""

import threading
from typing import Any

from poolsite.access import Principal
from tests.support.waiting import patient

ALICE = Principal(kind="user", id="1", name="alice", credential="session:a")


class Sql:
    """Replaces SQL in `cache.load`: it counts reads, and can be blocked in the middle of one."""

    def __init__(self) -> None:
        self.reads = 0
        self.answer = ALICE
        self.reading = threading.Event()
        self.go_on = threading.Event()
        self.go_on.set()

    def of_credential(self, credential: str, **_options: Any) -> Principal:
        self.reads += 1
        read = self.answer  # read now: a change may commit while the reader is blocked
        self.reading.set()
        assert self.go_on.wait(patient(30))
        return read
