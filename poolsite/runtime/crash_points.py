"""Named places where a process can be made to die as by kill -9, for the fault tests.

`POOLSITE_CRASH_AT=history.after_commit` (`…:3` means at the third pass) works only together with
`POOLSITE_CHAOS=1`. Without that, the process refuses to start, so that a variable left over from a
test never ends a real server.
"""

import os
import signal

from django.core.exceptions import ImproperlyConfigured


def _configured() -> tuple[str, int]:
    name, _, passing = os.environ.get("POOLSITE_CRASH_AT", "").partition(":")
    if name and os.environ.get("POOLSITE_CHAOS") != "1":
        raise ImproperlyConfigured(
            "POOLSITE_CRASH_AT is for the fault tests only: unset it (they set POOLSITE_CHAOS=1)."
        )
    return name, int(passing or 1)


_NAME, _PASSING = _configured()
_passed = 0


def crash_point(name: str) -> None:
    """Die here if the environment requests it. Otherwise this costs one comparison."""
    if name == _NAME:
        _count_down()


def _count_down() -> None:
    global _passed
    _passed += 1
    if _passed >= _PASSING:
        os.kill(os.getpid(), signal.SIGKILL)
