"""Management commands of the product, one after another in one process.

A check that polls would spend its time, and the machine's, on starting Python: seconds for each
answer. `Console` is what the judge holds; `main` is the process, which reads and writes JSON lines.
"""

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from threading import Timer

from poolsite.runtime.redis_server import die_with_parent
from tests.chaos.processes import ROOT
from tests.support.waiting import patient

COMMAND_SECONDS = 120.0
Completed = subprocess.CompletedProcess[str]


class Console:
    """A process with the stack's environment and a release's code, started by the first command."""

    def __init__(self, environment: Mapping[str, str], release: Path = ROOT) -> None:
        self._environment = environment
        self._release = release
        self._process: subprocess.Popen[str] | None = None

    def run(self, *arguments: str) -> Completed:
        """Run one command and return what it said; one that takes too long has failed."""
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        timer = Timer(patient(COMMAND_SECONDS), process.kill)
        timer.start()
        try:
            process.stdin.write(json.dumps(arguments) + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        finally:
            timer.cancel()
        if not answer:
            self.stop()
            return Completed(arguments, 1, "", f"no answer within {COMMAND_SECONDS:.0f} s")
        code, out, err = json.loads(answer)
        return Completed(arguments, code, out, err)

    def stop(self) -> None:
        """End the process; the next command starts another."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _running(self) -> "subprocess.Popen[str]":
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.chaos.console"],
                cwd=self._release,
                env={**os.environ, **self._environment, "PYTHONPATH": str(self._release)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                preexec_fn=die_with_parent,
            )
        return self._process


def main() -> None:
    """Answer each line of arguments with [exit code, stdout, stderr]."""
    import django

    django.setup()
    answers = sys.stdout
    for line in sys.stdin:
        answers.write(json.dumps(_run(json.loads(line))) + "\n")
        answers.flush()


def _run(arguments: list[str]) -> tuple[int, str, str]:
    """As manage.py would: a connection of its own, and the exit code that it would end with."""
    from django.core.management import ManagementUtility
    from django.db import connections

    out, err = io.StringIO(), io.StringIO()
    code = 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            ManagementUtility(["manage.py", *arguments]).execute()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        except (
            Exception
        ) as error:  # as the interpreter: any error that nobody caught is exit code 1
            code = 1
            err.write(f"{type(error).__name__}: {error}")
        finally:
            connections.close_all()
    return code, out.getvalue(), err.getvalue()


if __name__ == "__main__":
    main()
