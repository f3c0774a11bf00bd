"""A child that takes its time: it ends so many seconds after SIGTERM ("never" not at all).

python -m tests.support.slow_to_end <seconds> <file that says it is there>
"""

import signal
import sys
import time
from pathlib import Path


def main() -> None:
    """Wait to be ended."""
    seconds, there = sys.argv[1], Path(sys.argv[2])

    def end(number: int, frame: object) -> None:
        time.sleep(float(seconds))
        sys.exit(0)

    signal.signal(signal.SIGTERM, signal.SIG_IGN if seconds == "never" else end)
    there.touch()
    time.sleep(600)


if __name__ == "__main__":
    main()
