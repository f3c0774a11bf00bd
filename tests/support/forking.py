"""A process that has Django set up and forks a child for each program that a test runs.

A program of its own costs seconds of a core before its first line; a child costs none of them.
It is a real process all the same: it may be killed, and has connections of its own.

    python -m tests.support.forking        one order a line, as JSON; one answer each
"""

import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import poolsite  # noqa: F401  first: see poolsite/__init__.py
from poolsite.runtime.parent import die_with_parent

ROOT = Path(__file__).resolve().parents[2]
# What a child had to import, the next one finds imported; but for what acts when it is imported.
OURS = ("billing.", "numbers.", "poolsite.", "queueing.", "tests.")
ACTING = (".admin", ".asgi", ".urls")


class Forker:
    """The test's side. It ends with this object, or with the process that made it."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.forking"],
            cwd=ROOT,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.end = weakref.finalize(self, _end, self._process)

    def run(
        self, words: list[str], variables: Mapping[str, str]
    ) -> "subprocess.CompletedProcess[str]":
        """Run `python words…` with these variables more; wait for its end."""
        order = json.dumps({"words": words, "variables": dict(variables)})
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(order + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the process that forks has ended: {self._process.wait()}")
        return subprocess.CompletedProcess(words, **json.loads(line))


def _end(process: "subprocess.Popen[str]") -> None:
    process.kill()
    process.communicate()


def main() -> None:
    """Fork a child for each order on standard input, until there are no more."""
    import django

    die_with_parent()
    django.setup()
    for line in sys.stdin:
        order = json.loads(line)
        answer, imported = _run(order["words"], order["variables"])
        print(json.dumps(answer), flush=True)
        for name in imported:
            import_module(name)


def _run(words: list[str], variables: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    with (
        tempfile.TemporaryFile("w+") as out,
        tempfile.TemporaryFile("w+") as err,
        tempfile.TemporaryFile("w+") as modules,
    ):
        pid = os.fork()
        if not pid:
            _become(words, variables, out.fileno(), err.fileno(), modules.fileno())
        _, status = os.waitpid(pid, 0)
        texts = []
        for file in (out, err, modules):
            file.seek(0)
            texts.append(file.read())
    code = os.waitstatus_to_exitcode(status)
    return {"returncode": code, "stdout": texts[0], "stderr": texts[1]}, texts[2].split()


def _become(
    words: list[str], variables: Mapping[str, str], out: int, err: int, modules: int
) -> None:
    """Be the program, in the child; never returns."""
    die_with_parent(signal.SIGKILL)
    known = set(sys.modules)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who asked ends us
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(out, 1)
    os.dup2(err, 2)
    os.environ.update(variables)
    code = 0
    try:
        _read_crash_point_again()
        _run_program(words)
    except SystemExit as end:
        code = _code_of(end)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    new = [name for name in set(sys.modules) - known if name.startswith(OURS)]
    os.write(modules, "\n".join(name for name in new if not name.endswith(ACTING)).encode())
    os._exit(code)


def _run_program(words: list[str]) -> None:
    """Do as `python words…` does."""
    sys.argv = words[1:] if words[0] in ("-c", "-m") else words
    if words[0] == "-c":
        exec(words[1], {"__name__": "__main__"})
    elif words[0] == "-m":
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(words[0], run_name="__main__")


def _read_crash_point_again() -> None:
    from poolsite.runtime import crash_points

    crash_points._NAME, crash_points._PASSING = crash_points._configured()


def _code_of(end: SystemExit) -> int:
    if end.code is None or isinstance(end.code, int):
        return end.code or 0
    sys.stderr.write(f"{end.code}\n")
    return 1


if __name__ == "__main__":
    main()
