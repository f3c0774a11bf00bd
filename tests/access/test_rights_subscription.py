"""The subscription to changed rights: a Redis that is silent, and a process that was held up."""

import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from poolsite.access.rights import hub as module
from poolsite.access.rights.hub import HELD_UP_SECONDS, SILENCE_SECONDS, RightsHub
from tests.support.waiting import patient

WORD = {"type": "subscribe", "data": 1}
PONG = {"type": "pong", "data": ""}


class Subscription:
    """A connection that says what a list tells: a message, or seconds in which none came.

    They pass on a clock of its own, which is the hub's as well.
    """

    def __init__(self, says: list[dict[str, Any] | float]) -> None:
        self.all_heard = threading.Event()
        self._says = says
        self._now = 0.0

    def monotonic(self) -> float:
        return self._now

    def pubsub(self) -> "Subscription":
        return self

    def subscribe(self, channel: str) -> None:
        """Taken."""

    def ping(self) -> None:
        """Taken."""

    def close(self) -> None:
        """Done."""

    def get_message(self, timeout: float) -> dict[str, Any] | None:
        if not self._says:  # who asks again has done with what was said before
            self.all_heard.set()
            time.sleep(0.01)  # waits: the hub's thread goes on until it is stopped
            return PONG
        word = self._says.pop(0)
        self._now += 0.01 if isinstance(word, dict) else word
        return word if isinstance(word, dict) else None


@pytest.fixture
def hub() -> Iterator[RightsHub]:
    hub = RightsHub()
    yield hub
    hub.stop()


def _lost(
    hub: RightsHub, says: list[dict[str, Any] | float], monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    """Why the subscription was given up, each time, while it said all that."""
    warnings: list[str] = []
    monkeypatch.setattr(module.log, "warning", lambda _, error: warnings.append(str(error)))
    subscription = Subscription([WORD, *says])
    monkeypatch.setattr(module.hotpath, "client", lambda: subscription)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=subscription.monotonic))
    hub.ensure_started()
    assert subscription.all_heard.wait(patient(30))
    return warnings


def test_a_process_that_was_held_up_does_not_take_redis_for_silent(
    hub: RightsHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    held_up = SILENCE_SECONDS + HELD_UP_SECONDS
    assert _lost(hub, [held_up, held_up, PONG], monkeypatch) == []


def test_a_silent_redis_is_given_up(hub: RightsHub, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = [0.1] * (round(SILENCE_SECONDS / 0.1) + 1)
    assert _lost(hub, [*looks], monkeypatch) == ["Redis is silent"]
