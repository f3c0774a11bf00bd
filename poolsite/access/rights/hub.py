"""One listener per process that receives changes of rights and knows whether it still can."""

import logging
import os
import threading
import time
from collections.abc import Callable
from typing import Any

from redis.exceptions import RedisError

from poolsite import hotpath
from poolsite.access.rights import versions

PING_SECONDS = 0.2
SILENCE_SECONDS = 0.7  # a subscription without a message for this long counts as down
HELD_UP_SECONDS = 0.3  # a read that took this long: this process was busy, Redis did respond
BACK_OFF_SECONDS = 0.2

Listener = Callable[[str, str], None]  # (kind, id); ("", "") if anything may have changed
log = logging.getLogger("poolsite.access")


class RightsHub:
    """Subscribes to `rights` and notifies listeners.

    It runs in a thread of its own, so that one connection serves every event loop and thread of the
    process. A ping five times a second tests the subscription: this detects a Redis that hangs as
    well as one that is gone.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._ready = threading.Event()
        self._heard = float("-inf")
        self._unsent: set[tuple[str, str]] = set()
        self._listeners: list[Listener] = []
        self.epoch = 0

    def subscribe(self, listener: Listener) -> None:
        """Have `listener` called in the hub's thread for every change. It must not block."""
        self._listeners.append(listener)

    def ensure_started(self) -> None:
        """Start the thread unless it runs."""
        if self._thread is not None and self._thread.is_alive():
            return
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._stop.clear()
                self._ready.clear()
                self._thread = threading.Thread(target=self._run, name="rights", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """End the thread and forget everything; the next use starts it again."""
        self._stop.set()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout=2)
        self._thread = None
        self._down()

    def is_listening(self) -> bool:
        """Whether a change that happened a moment ago would have been received."""
        return time.monotonic() - self._heard < SILENCE_SECONDS

    def wait_until_listening(self, seconds: float) -> bool:
        """Start if needed and wait for the subscription. Return False if it is not up in time."""
        self.ensure_started()
        return self._ready.wait(seconds)

    def publish_later(self, kind: str, identity: str) -> None:
        """Repeat a message that Redis did not accept, until it does."""
        with self._lock:
            self._unsent.add((kind, identity))
        self.ensure_started()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._listen()
            except (RedisError, OSError) as error:
                log.warning("rights: subscription down: %s", error)
            except Exception:
                log.exception("rights: listener failed")
            self._down()
            self._stop.wait(BACK_OFF_SECONDS)

    def _listen(self) -> None:
        pubsub = hotpath.client().pubsub()
        try:
            pubsub.subscribe(versions.CHANNEL)
            pinged = time.monotonic()
            heard = pinged
            while not self._stop.is_set():
                looked = time.monotonic()
                message = pubsub.get_message(timeout=PING_SECONDS / 2)
                now = time.monotonic()
                if message is not None:
                    heard = now
                    self._hear(message, now)
                elif now - looked > HELD_UP_SECONDS:
                    heard = now  # or a busy process would make all its sockets read SQL as well
                elif now - heard > SILENCE_SECONDS:
                    raise TimeoutError("Redis is silent")
                if now - pinged > PING_SECONDS:
                    pubsub.ping()
                    pinged = now
                    self._send_unsent()
        finally:
            pubsub.close()

    def _hear(self, message: dict[str, Any], now: float) -> None:
        if message["type"] == "subscribe":
            self._tell("", "")
            self._heard = now
            self._ready.set()
            return
        self._heard = now
        if message["type"] == "message":
            kind, _, identity = str(message["data"]).partition(":")
            self._tell(kind, identity)

    def _tell(self, kind: str, identity: str) -> None:
        self.epoch += 1
        for listener in list(self._listeners):
            listener(kind, identity)

    def _down(self) -> None:
        self._heard = float("-inf")
        self._ready.clear()
        self.epoch += 1

    def _send_unsent(self) -> None:
        with self._lock:
            unsent, self._unsent = self._unsent, set()
        for kind, identity in unsent:
            try:
                versions.publish(kind, identity)
            except (RedisError, OSError):
                with self._lock:
                    self._unsent.add((kind, identity))

    def forget_after_fork(self) -> None:
        """Reset the state in a forked child, which has the parent's memory but not its thread."""
        self._lock = threading.Lock()
        self._thread = None
        self._stop = threading.Event()
        self._ready = threading.Event()
        self._heard = float("-inf")
        self._unsent = set()
        self.epoch += 1


HUB = RightsHub()
os.register_at_fork(after_in_child=HUB.forget_after_fork)
