"""Command lines for a shell of the server: manage.py with the environment of this process."""

import os
import shlex
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def manage_line(*arguments: str, pid: int | None = None) -> str:
    """Return the command line that runs manage.py here with these arguments.

    It reads the environment of the process `pid` (default: this one). So it finds the same database
    and Redis, and shows none of their passwords. On systems without /proc, it uses the shell's
    environment.
    """
    command = shlex.join([sys.executable, "manage.py", *arguments])
    environment = Path(f"/proc/{os.getpid() if pid is None else pid}/environ")
    folder = shlex.quote(str(ROOT))
    if not environment.exists():
        return f"cd {folder} && {command}"
    script = shlex.quote(f'cd {folder} && exec env "$@" {command}')
    return f"xargs -0 -a {environment} sh -c {script} sh"
