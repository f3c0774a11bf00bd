"""For a process that must not outlive its parent: Linux's signal, and a watching thread.

PR_SET_PDEATHSIG reaches direct children only, is sent when the *thread* that started the child
ends, and has no effect if the parent ended before the call. Therefore a thread watches, too.
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

    This can be called between fork and exec, and survives exec. On other systems it does nothing.
    """
    if sys.platform == "linux":
        _LIBC.prctl(_PR_SET_PDEATHSIG, how)


def follow(parent_pid: int) -> None:
    """End this process, and its process group if it leads one, when `parent_pid` ends.

    This process then gets SIGTERM, and if it still runs after 5 s, SIGKILL.
    """
    die_with_parent()
    threading.Thread(target=_watch, args=(parent_pid,), name="parent-watch", daemon=True).start()


def catches(pid: int, number: signal.Signals) -> bool:
    """Whether process `pid` has a handler for the signal.

    Always False on systems other than Linux.
    """
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
