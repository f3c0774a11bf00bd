"""A process that must not outlive its parent: Linux's signal, and a watch of its own beside it.

PR_SET_PDEATHSIG reaches direct children only, is sent when the *thread* that started the
child ends, and comes too late for a parent that was gone before the call; hence the watch.
"""

import ctypes
import os
import signal
import sys
import threading
import time

GRACE_SECONDS = 5.0
POLL_SECONDS = 0.5
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)  # loaded here: after a fork, the child should only make the call


def die_with_parent(how: signal.Signals = signal.SIGTERM) -> None:
    """Ask Linux to signal this process when the thread that started it ends.

    Usable between fork and exec; it survives exec. Elsewhere than on Linux it does nothing.
    """
    if sys.platform == "linux":
        _LIBC.prctl(_PR_SET_PDEATHSIG, how)


def follow(parent_pid: int) -> None:
    """Tie this process, and its process group if it leads one, to the life of `parent_pid`.

    The parent gone: SIGTERM to this process; if that has not ended it after 5 s, SIGKILL.
    """
    die_with_parent()
    threading.Thread(target=_watch, args=(parent_pid,), name="parent-watch", daemon=True).start()


def catches(pid: int, number: signal.Signals) -> bool:
    """Tell whether process `pid` has a handler for the signal (Linux; elsewhere never)."""
    try:
        with open(f"/proc/{pid}/status") as status:
            masks = dict(line.split(":", 1) for line in status if line.startswith("Sig"))
    except OSError:
        return False
    return bool(int(masks.get("SigCgt", "0"), 16) >> (number - 1) & 1)


def _watch(parent_pid: int) -> None:
    while os.getppid() == parent_pid:
        time.sleep(POLL_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE_SECONDS)
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)
