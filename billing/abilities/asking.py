"""Asks the configured provider within the time budget, and pauses after repeated failures."""

import logging
import os
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from importlib import import_module
from typing import Final

from django.conf import settings

from billing.abilities.interface import (
    BUDGET_SECONDS,
    AbilityProvider,
    ProviderFailedError,
    ProviderSlowError,
)

logger = logging.getLogger(__name__)

THREADS: Final = 16
FAILURES_IN_A_ROW: Final = 5
REST_SECONDS: Final = 5.0


class _Asker:
    """A process's provider and its threads."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.pid = os.getpid()
        self._provider: AbilityProvider = import_module(f"billing.abilities.{name}").provider()
        self._executor = ThreadPoolExecutor(THREADS, thread_name_prefix="abilities")
        self._lock = threading.Lock()
        self._failures = 0
        self._rests_until = 0.0

    def ask(self, numbers: Sequence[str]) -> Mapping[str, bool]:
        if time.monotonic() < self._rests_until:
            raise ProviderFailedError(f"{self.name} failed {FAILURES_IN_A_ROW} times in a row")
        try:
            known = self._ask(numbers)
        except ProviderFailedError as error:
            self._count(error)
            raise
        with self._lock:
            self._failures = 0
        return {number: known[number] for number in numbers if number in known}

    def _ask(self, numbers: Sequence[str]) -> Mapping[str, bool]:
        if not self._provider.remote:
            return self._provider.ask(numbers, BUDGET_SECONDS)
        question = self._executor.submit(self._provider.ask, numbers, BUDGET_SECONDS)
        try:
            return question.result(BUDGET_SECONDS)
        except FutureTimeoutError:
            question.cancel()
            raise ProviderSlowError(f"{self.name}: no answer in {BUDGET_SECONDS} s") from None

    def _count(self, error: ProviderFailedError) -> None:
        with self._lock:
            self._failures += 1
            if self._failures >= FAILURES_IN_A_ROW:
                self._failures = 0
                self._rests_until = time.monotonic() + REST_SECONDS
                logger.warning("billing: abilities are not asked for a while: %s", error)

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)


_asker: _Asker | None = None
_making = threading.Lock()


def ask(numbers: Sequence[str]) -> tuple[str, Mapping[str, bool]]:
    """Return the provider's name and answers. Raise ProviderFailedError or ProviderSlowError."""
    asker = _of_process()
    return asker.name, asker.ask(numbers)


def reset() -> None:
    """Drop the provider, so that the settings are read again."""
    global _asker
    with _making:
        if _asker is not None and _asker.pid == os.getpid():
            _asker.close()
        _asker = None


def _of_process() -> _Asker:
    """Return this process's asker. A forked worker creates its own, with its own threads."""
    global _asker
    name = settings.BILLING_ABILITY_PROVIDER
    with _making:
        if _asker is None or _asker.pid != os.getpid() or _asker.name != name:
            _asker = _Asker(name)
        return _asker
