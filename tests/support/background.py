"""The last part of `make prove`: proofs that need the whole machine, others behind them.

Those marked `alone` run one after the other and leave much of the machine unused. Those marked
`background` take what is left: they run in one process and look at no clock.
"""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from tests.support.durations import MEASURED
from tests.support.waiting import VARIABLE

OUTPUT = MEASURED / "background.txt"
NICE = 10
PATIENCE = 4  # at least: what is started with little processor time may get even less
PYTEST = (sys.executable, "-m", "pytest")
AT_ONCE = ("-n", "2", "--dist", "loadfile", "--no-loadscope-reorder")


def start(arguments: list[str]) -> subprocess.Popen[bytes]:
    """Start the proofs in the background; they write to OUTPUT."""
    OUTPUT.parent.mkdir(parents=True, exist_ok=True)
    with OUTPUT.open("wb") as output:
        started = subprocess.Popen(
            [*PYTEST, *arguments, *AT_ONCE, "-m", "prove and background"],
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, VARIABLE: str(PATIENCE)},
            start_new_session=True,
        )
    os.setpriority(os.PRIO_PROCESS, started.pid, NICE)
    # Where Linux shares the processor out by sessions, a session's niceness is what counts.
    with suppress(OSError):
        Path(f"/proc/{started.pid}/autogroup").write_text(str(NICE))
    return started


def main(arguments: list[str]) -> int:
    """Run both parts, and print what the background did at the end; 1 if one of them failed."""
    behind = start(arguments)
    try:
        alone = subprocess.run([*PYTEST, *arguments, "-m", "prove and alone"], check=False)
        behind.wait()
    finally:
        behind.terminate()
        print(OUTPUT.read_text(encoding="utf-8"), flush=True)
    return 1 if alone.returncode or behind.returncode else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
