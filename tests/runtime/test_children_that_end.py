"""A child whose work is finite is started again only if it failed."""

from pathlib import Path

import pytest

from poolsite.runtime.children import Child
from tests.support.waiting import until


@pytest.mark.processes
@pytest.mark.parametrize(("status", "again"), [(0, False), (3, True)])
def test_a_child_that_ends_is_started_again_only_after_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int, again: bool
) -> None:
    (tmp_path / "once.py").write_text(f"import sys; print('ran'); sys.exit({status})")
    log = tmp_path / "log"
    child = Child("once", "once", (), {"PYTHONPATH": str(tmp_path)}, log, ends=True)
    child.start()
    until(lambda: child.watch() or child.process is None)
    assert (child.failures, child.due < float("inf")) == (int(again), again)
    if again:
        until(lambda: (child.watch(), log.read_text().count("ran"))[1] == 2)
        until(lambda: child.watch() or child.process is None)
    child.kill()
