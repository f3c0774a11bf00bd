"""`make check`: what must hold before anything is run; prints what does not."""

import os
import subprocess
import sys
import time
from pathlib import Path

from tests.house.source import ROOT

PYTHON = sys.executable
BIN = Path(PYTHON).parent
STEPS = {
    "style": [BIN / "ruff", "check", "."],
    "format": [BIN / "ruff", "format", "--check", "."],
    "types": [BIN / "mypy"],
    "settings": [PYTHON, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
    "migrations": [PYTHON, "manage.py", "makemigrations", "--check", "--dry-run"],
    "house": [PYTHON, "-m", "pytest", "-q", "tests/house"],
}
# What a production machine sets: `check --deploy` must be clean with it.
PRODUCTION = {
    "POOLSITE_SECRET_KEY": "for-the-check-alone-" + "0123456789abcdefghijklmnopqrstuvwxyz",
    "POOLSITE_BEHIND_TLS": "1",
    "POOLSITE_DEBUG": "0",
}


def main() -> int:
    """Run every step, also after one failed; exit status 1 if any did."""
    failed = []
    for name, command in STEPS.items():
        began = time.monotonic()
        result = subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, **PRODUCTION},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        word = "FAILED" if result.returncode else "ok"
        print(f"{name:<12}{word:<8}{time.monotonic() - began:5.1f} s", flush=True)
        if result.returncode:
            failed.append(name)
            print(result.stdout, flush=True)
    if failed:
        sys.stderr.write(f"make check: {', '.join(failed)} failed.\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
