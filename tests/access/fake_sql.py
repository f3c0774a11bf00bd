"""SQL as `rights.cache` sees it, held and released by a test."""

import threading
from typing import Any

from poolsite.access import Principal
from tests.support.waiting import patient

ALICE = Principal(kind="user", id="1", name="alice", credential="session:a")


class Sql:
    """Stands in for SQL in `cache.load`: counts, and can be held in the middle of a read."""

    def __init__(self) -> None:
        self.reads = 0
        self.answer = ALICE
        self.reading = threading.Event()
        self.go_on = threading.Event()
        self.go_on.set()

    def of_credential(self, credential: str, **_options: Any) -> Principal:
        self.reads += 1
        read = self.answer  # as of now; a change may commit while the reader is held
        self.reading.set()
        assert self.go_on.wait(patient(30))
        return read
