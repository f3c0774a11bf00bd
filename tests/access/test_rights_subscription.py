"""The subscription to changed rights, with a Redis that hangs and a process that was stalled."""

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
    """A connection that follows a list: a message to deliver, or seconds without one.

    The seconds pass on its own clock, which the hub uses, too.
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
        """Accept it."""

    def ping(self) -> None:
        """Accept it."""

    def close(self) -> None:
        """Do nothing."""

    def get_message(self, timeout: float) -> dict[str, Any] | None:
        if not self._says:  # a caller that reads again has processed all before
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
    """Return why the subscription was given up, each time, while it followed the list."""
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
