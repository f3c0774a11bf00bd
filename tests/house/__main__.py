"""`make check`: what must hold before anything is run. It prints what doesn't hold."""

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.house.source import ROOT
from tests.support.environment import SAFE

PYTHON = sys.executable
BIN = Path(PYTHON).parent
# In parallel, one for each core. The two that take longest come first.
STEPS: dict[str, list[str | Path]] = {
    "house": [PYTHON, "-m", "pytest", "-q", "tests/house"],
    "types": [BIN / "mypy"],
    "style": [BIN / "ruff", "check", "."],
    "format": [BIN / "ruff", "format", "--check", "."],
    "settings": [PYTHON, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
    "migrations": [PYTHON, "manage.py", "makemigrations", "--check", "--dry-run"],
    "lua": [PYTHON, "-m", "tests.house.lua"],
    "figures": [PYTHON, "-m", "tests.house.figures"],
    "audit": [PYTHON, "-m", "tests.house.audit"],
    "durations": [PYTHON, "-m", "tests.support.durations", "check"],
}
TELLS = {"lua", "figures", "audit"}  # steps whose output is printed even if they succeed
# The settings of a production machine: `check --deploy` must be clean with them.
PRODUCTION = {
    **SAFE,
    "POOLSITE_BEHIND_TLS": "1",
    "POOLSITE_TRUSTED_PROXIES": "127.0.0.1/32",
    "POOLSITE_DEBUG": "0",
}


def main() -> int:
    """Run every step, even after one failed. Return exit status 1 if any did."""
    failed = []
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        for name, (result, seconds) in zip(STEPS, threads.map(_run, STEPS), strict=True):
            word = "FAILED" if result.returncode else "ok"
            print(f"{name:<12}{word:<8}{seconds:5.1f} s", flush=True)
            if result.returncode:
                failed.append(name)
            if result.returncode or name in TELLS:
                print(result.stdout, flush=True)
    if failed:
        sys.stderr.write(f"make check: {', '.join(failed)} failed.\n")
    return 1 if failed else 0


def _run(name: str) -> "tuple[subprocess.CompletedProcess[str], float]":
    """Return a step's result, and the seconds that it took."""
    began = time.monotonic()
    variables = PRODUCTION if name == "settings" else {}
    # A data folder of its own: the demo's database is not part of the check.
    with tempfile.TemporaryDirectory() as data:
        result = subprocess.run(
            STEPS[name],
            cwd=ROOT,
            env={**os.environ, "POOLSITE_DATA_DIR": data, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
    return result, time.monotonic() - began


if __name__ == "__main__":
    sys.exit(main())
