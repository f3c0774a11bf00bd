"""A line to paste into a shell of the server runs manage.py as the server would."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from poolsite.runtime.shell_line import manage_line

pytestmark = pytest.mark.processes
BARE = {"PATH": os.environ.get("PATH", os.defpath)}


def test_the_line_takes_the_environment_of_the_server_and_shows_none_of_it(tmp_path: Path) -> None:
    mark = 'it\'s a "mark"\nof $HOME'
    environment = {**BARE, "POOLSITE_DATA_DIR": str(tmp_path), "MARK": mark}
    code = "import os; print(repr(os.environ['MARK']), end='')"
    waiting = [sys.executable, "-c", "input()"]
    with subprocess.Popen(waiting, env=environment, stdin=subprocess.PIPE) as server:
        line = manage_line("shell", "-v", "0", "-c", code, pid=server.pid)
        told = subprocess.run(
            ["sh", "-c", line], cwd=tmp_path, env=BARE, capture_output=True, text=True, check=False
        )
        server.communicate(b"\n")
    assert "mark" not in line.replace("MARK", "")
    assert told.stdout == repr(mark), told.stderr


def test_without_proc_the_line_takes_the_environment_of_the_shell() -> None:
    line = manage_line("user", "create", "o'hara", pid=0)
    assert line.startswith("cd ")
    assert line.endswith("""manage.py user create 'o'"'"'hara'""")
