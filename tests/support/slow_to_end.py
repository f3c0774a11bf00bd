"""A child that takes its time: asked to end, it does so when others were asked, too.

python -m tests.support.slow_to_end <how many | never> <file that says it is there>
"""

import signal
import sys
import time
from pathlib import Path


def main() -> None:
    """Wait to be ended: by SIGTERM, or ("never") not by that."""
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
