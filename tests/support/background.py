"""The last part of `make prove`: proofs that need the whole machine, with others in the background.

Proofs marked `alone` run one after the other and leave much of the machine unused. Proofs marked
`background` use the rest: they run in one process and measure no time.
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
PATIENCE = 4  # the minimum: processes with a low priority may get even less processor time
PYTEST = (sys.executable, "-m", "pytest")
AT_ONCE = ("-n", "2", "--dist", "loadfile", "--no-loadscope-reorder")


def start(arguments: list[str]) -> subprocess.Popen[bytes]:
    """Start the proofs in the background. They write to OUTPUT."""
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
    # Where Linux schedules by session (autogroup), only the session's nice value counts.
    with suppress(OSError):
        Path(f"/proc/{started.pid}/autogroup").write_text(str(NICE))
    return started


def main(arguments: list[str]) -> int:
    """Run both parts, then print the output of the background. Return 1 if one of them failed."""
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
