"""Which tests a command runs, and the check that each test declares the processes it starts.

- `make test-fast`: logic on the worker's own Redis; nothing marked `processes` or `prove`.
- `make test`: everything that is not marked `prove`.
- `make prove`: the long proofs. Those marked `alone` run one after the other, with the whole
  machine; those marked `background` run at the same time, on what is left of it.
  The one that takes longest, marked `rehearsal`, runs after all others. CI has no time for it:
  `make prove REHEARSAL=no`.
- `make rehearsal`: that proof alone.

A test that starts a process is marked `processes`, by hand or through a fixture marked with
`@starts_processes`. A test that starts one without the mark fails.
"""

import subprocess
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.support.forking import Forked

F = TypeVar("F", bound=Callable[..., Any])
MARKED = "mark.prove"


def starts_processes(fixture: F) -> F:
    """Declare that a fixture starts a process: every test that uses it is marked.

    Use below @fixture.
    """
    fixture.starts_processes = True
    return fixture


class PartsPlugin:
    """Marks tests by their fixtures, and makes unmarked tests fail if they start a process."""

    def __init__(self) -> None:
        self._running: pytest.Item | None = None
        self._starts: dict[Any, Any] = {kind: kind.__init__ for kind in (subprocess.Popen, Forked)}

    def pytest_configure(self) -> None:
        for kind, start in self._starts.items():
            kind.__init__ = self._guarded(start)

    def _guarded(self, start: Callable[..., None]) -> Callable[..., None]:
        @wraps(start)
        def guarded(process: Any, *args: Any, **kwargs: Any) -> None:
            if self._running is not None and not self._running.get_closest_marker("processes"):
                raise AssertionError("this test starts a process: mark it pytest.mark.processes")
            start(process, *args, **kwargs)

        return guarded

    def pytest_unconfigure(self) -> None:
        for kind, start in self._starts.items():
            kind.__init__ = start

    def pytest_ignore_collect(self, collection_path: Path, config: pytest.Config) -> bool | None:
        """Skip the import of files without proofs when only proofs are selected."""
        only_proofs = config.option.markexpr.startswith("prove")
        if not only_proofs or collection_path.suffix != ".py":
            return None
        return MARKED not in collection_path.read_text(encoding="utf-8") or None

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            if _starts_processes(item):
                item.add_marker("processes")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._running = item
        try:
            return (yield)
        finally:
            self._running = None

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[Any]:
        """Let an unmarked test create the migrated database that all copy, if it runs first."""
        if not fixturedef.argname.startswith("django_db_"):
            return (yield)
        running, self._running = self._running, None
        try:
            return (yield)
        finally:
            self._running = running


def _starts_processes(item: pytest.Item) -> bool:
    if item.get_closest_marker("prove"):
        return True
    known = getattr(item, "_fixtureinfo", None)
    return known is not None and any(
        hasattr(definition.func, "starts_processes")
        for definitions in known.name2fixturedefs.values()
        for definition in definitions
    )
