"""Count the branches of the product that the tests run: `make test COVERAGE=1`.

Modules are instrumented when they are imported, so pyproject.toml names this plugin first. Each
worker of xdist writes its counts to the folder that VARIABLE names. Run as a program, this module
prints the sum.

SlipCover removes each probe after its first hit. Tests that took twice as long under a tracing
counter take a tenth longer with it, plus 20 seconds for the imports.
"""

import json
import os
import sys
from pathlib import Path

import slipcover

VARIABLE = "POOLSITE_TEST_BRANCHES"
PRODUCT = ["poolsite", "numbers", "queueing", "billing", "integrations"]
OMITTED = ["*/migrations/*"]


class _Counter:
    """Counts from its creation, and writes to the folder at the end of the session."""

    def __init__(self, folder: Path, worker: str) -> None:
        self._file = folder / f"{worker}.json"
        self._counts = slipcover.Slipcover(
            immediate=True, branch=True, source=PRODUCT, omit=OMITTED
        )
        matcher = slipcover.FileMatcher(sources=PRODUCT, omit=OMITTED)
        slipcover.ImportManager(self._counts, matcher).__enter__()

    def write(self) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.write_text(json.dumps(self._counts.get_coverage()))


def _start() -> _Counter | None:
    worker, folder = os.environ.get("PYTEST_XDIST_WORKER"), os.environ.get(VARIABLE)
    return _Counter(Path(folder).resolve(), worker) if worker and folder else None


_COUNTER = _start()


def pytest_sessionfinish() -> None:
    if _COUNTER:
        _COUNTER.write()


def main(folder: Path) -> None:
    """Print one line with the sum of the workers' counts."""
    seen, *others = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))] or [{}]
    if not seen:
        sys.exit("No branches were counted: the tests must run in workers (JOBS=1 or more).")
    for other in others:
        slipcover.merge_coverage(seen, other)
    summary = seen["summary"]
    covered, missing = summary["covered_branches"], summary["missing_branches"]
    branches = covered + missing
    print(f"Branches: {100 * covered / branches:.2f} % ({covered:,} of {branches:,})")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
