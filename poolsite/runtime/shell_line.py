"""Lines to paste into a shell of the server: manage.py with the environment of this process."""

import os
import shlex
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def manage_line(*arguments: str, pid: int | None = None) -> str:
    """The line that runs manage.py here with these arguments.

    It takes the environment from the process `pid` (this one), so that it finds the same database
    and Redis, and shows none of their passwords. Where there is no /proc, from the shell.
    """
    command = shlex.join([sys.executable, "manage.py", *arguments])
    environment = Path(f"/proc/{os.getpid() if pid is None else pid}/environ")
    folder = shlex.quote(str(ROOT))
    if not environment.exists():
        return f"cd {folder} && {command}"
    script = shlex.quote(f'cd {folder} && exec env "$@" {command}')
    return f"xargs -0 -a {environment} sh -c {script} sh"
