"""A child that is slow to end: it waits until other processes were asked to end, too.

python -m tests.support.slow_to_end <how many processes | never> <file that marks its start>
"""

import signal
import sys
import time
from pathlib import Path


def main() -> None:
    """Wait to be ended by SIGTERM; with "never", ignore SIGTERM."""
    count, there = sys.argv[1], Path(sys.argv[2])

    def end(number: int, frame: object) -> None:
        there.with_suffix(".asked").touch()
        while len(list(there.parent.glob("*.asked"))) < int(count):
            time.sleep(0.01)  # waits: a program's poll; who waits for it has a deadline
        sys.exit(0)

    signal.signal(signal.SIGTERM, signal.SIG_IGN if count == "never" else end)
    there.touch()
    time.sleep(600)  # waits: to be ended


if __name__ == "__main__":
    main()
