"""Programs of the tree as children of a process that has already imported them.

Importing Django, the apps and their pages takes seconds of CPU time; a forked child skips that. It
is still a process of its own: it can be killed, has its own connections, and reads the settings
again from the environment that it is given. Where that is not enough (`EARLY`, `AT_THE_START`), the
child starts Python from scratch. Its /proc/<pid>/environ and cmdline are those of the process that
forks: a test that needs its own ones starts the program directly.

python -P tests/support/forking.py        one order per line, as JSON; one answer each
"""

import atexit
import gc
import importlib
import json
import os
import runpy
import select
import signal
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import poolsite  # noqa: F401  first: see poolsite/__init__.py
from poolsite.runtime.parent import die_with_parent

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = "poolsite.settings"
# What most programs need, except modules that act on import (poolsite.asgi, twisted's reactor).
WARM = (
    *("poolsite.urls", "poolsite.celery", "poolsite.api.guard", "poolsite.api.lifespan"),
    *("poolsite.api.measuring", "poolsite.api.shutdown", "poolsite.api.static"),
    *("poolsite.api.tracing", "poolsite.live.routing", "poolsite.operations.watch"),
    *("billing.api.hot", "numbers.api.hot", "queueing.admission.api.hot", "queueing.line.api.hot"),
    *("billing.consumers", "numbers.consumers", "queueing.dispatch.consumers"),
    *("uvicorn.main", "uvicorn.lifespan.on", "uvloop"),
    *("uvicorn.protocols.http.httptools_impl", "uvicorn.protocols.websockets.websockets_impl"),
    *("celery.bin.celery", "celery.bin.worker", "celery.apps.worker", "celery.apps.beat"),
    *("celery.concurrency.prefork", "celery.worker.consumer", "kombu.transport.redis"),
    *("django.core.management.commands.migrate", "django.db.backends.sqlite3.base"),
    *("django.db.backends.postgresql.base", "django.test.signals"),
)
# Settings that the product reads while it is imported: tests/house/test_early_settings.py.
EARLY = (
    *("BILLING_PERSIST_SECONDS", "BILLING_SHARDS", "CALLS_KEEP_DAYS", "HISTORY_DRAIN_SECONDS"),
    *("HISTORY_SHARDS", "PLATFORM_CURRENCY", "LANGUAGES", "LANGUAGE_CODE"),
)
# The variables that set them: for other values, another process forks.
EARLY_VARIABLES = (
    *("POOLSITE_DEMO", "POOLSITE_PERSIST_SECONDS", "POOLSITE_BILLING_SHARDS"),
    *("POOLSITE_CALLS_KEEP_DAYS", "POOLSITE_HISTORY_KEEP_DAYS", "POOLSITE_HISTORY_DRAIN_SECONDS"),
    *("POOLSITE_HISTORY_SHARDS", "POOLSITE_PLATFORM_CURRENCY"),
)
# Variables that Python or the dynamic loader reads at the start.
AT_THE_START = ("LD_PRELOAD", "PYTHONHASHSEED", "PYTHONASYNCIODEBUG", "PYTHONTRACEMALLOC")
# How a child's input, output and error output are opened.
MODES = (os.O_RDONLY, *2 * (os.O_WRONLY | os.O_CREAT | os.O_APPEND,))
PRODUCT = ("POOLSITE_", "REDIS_URL", "DATABASE_URL", "CACHE_URL", "CELERY_", "OTEL_")


class Forked:
    """A child of the process that forks, with the interface of `subprocess.Popen`."""

    def __init__(self, forker: "_Forker", order: Mapping[str, Any]) -> None:
        self.args: list[str] = order["words"]
        self.pid: int = forker.ask(order)["pid"]
        self.returncode: int | None = None
        self.stdin: IO[str] | None = None
        self.stdout: IO[str] | None = None
        self._forker = forker
        self._lock = threading.Lock()
        self._descriptor = os.pidfd_open(self.pid)
        weakref.finalize(self, os.close, self._descriptor)  # not before: another thread may poll it

    def poll(self) -> int | None:
        """Return the exit status, or None while the child runs."""
        return self._ended_within(0.0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the child to end. Raise subprocess.TimeoutExpired after `timeout` seconds."""
        code = self._ended_within(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
        return code

    def send_signal(self, number: int) -> None:
        """Send a signal unless the child has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._descriptor, number)

    def terminate(self) -> None:
        """Ask the child to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End the child as a crash would."""
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float | None = None) -> tuple[str, None]:
        """Close the child's input, read its output to the end, and wait for it to end."""
        assert self.stdin is not None
        assert self.stdout is not None
        self.stdin.close()
        with self.stdout:
            printed = self.stdout.read()
        self.wait(timeout)
        return printed, None

    def _ended_within(self, seconds: float | None) -> int | None:
        if self.returncode is None:
            ended = select.poll()
            ended.register(self._descriptor, select.POLLIN)
            if ended.poll(None if seconds is None else 1000 * seconds):
                with self._lock:
                    if self.returncode is None:
                        self.returncode = self._forker.ask({"ended": self.pid})["code"]
        return self.returncode


def start(
    words: Sequence[str],
    environment: Mapping[str, str],
    *,
    tree: Path = ROOT,
    output: Path | None = None,
    errors: Path | None = None,
    session: bool = False,
) -> Forked:
    """Run `python words…` in `tree`, with this environment and no other.

    Append its output to the file `output`, and its error output to `errors` or, without that, to
    the same file. session: it leads its own session. It ends with the process that called this.
    """
    told = str(output or os.devnull)
    return _start(words, environment, tree, (os.devnull, told, str(errors or told)), session)


def talk(words: Sequence[str], environment: Mapping[str, str], *, errors: Path) -> Forked:
    """Like `start`, but the caller writes to the program and reads from it, as text."""
    (heard, said), (told, answered) = os.pipe(), os.pipe()
    own = f"/proc/{os.getpid()}/fd"
    files = (f"{own}/{heard}", f"{own}/{answered}", str(errors))
    try:
        process = _start(words, environment, ROOT, files, session=False)
    finally:
        os.close(heard)
        os.close(answered)
    process.stdin, process.stdout = os.fdopen(said, "w"), os.fdopen(told)
    return process


def _start(
    words: Sequence[str],
    environment: Mapping[str, str],
    tree: Path,
    files: tuple[str, str, str],
    session: bool,
) -> Forked:
    order = {"words": [*words], "environment": {**environment}, "files": files, "session": session}
    return Forked(_forker_of(tree, environment), order)


def run(
    words: Sequence[str],
    environment: Mapping[str, str],
    *,
    tree: Path = ROOT,
    timeout: float | None = None,
) -> "subprocess.CompletedProcess[str]":
    """Like `start`, but wait for the program to end and return what it printed.

    Raise subprocess.TimeoutExpired after `timeout` seconds; the program is ended then.
    """
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder) / "out", Path(folder) / "err"
        process = start(words, environment, tree=tree, output=out, errors=err)
        try:
            code = process.wait(timeout)
        finally:
            process.kill()
        return subprocess.CompletedProcess(list(words), code, out.read_text(), err.read_text())


class _Forker:
    """The tests' side of a forking process.

    That process ends with this one, when its orders close.
    """

    def __init__(self, tree: Path, early: Mapping[str, str]) -> None:
        others = {name: each for name, each in os.environ.items() if not name.startswith(PRODUCT)}
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, "-P", __file__],
            cwd=tree,
            env={
                **others,
                **early,
                "DJANGO_SETTINGS_MODULE": SETTINGS,
                "PYTHONPATH": str(tree),
                "PYTHONWARNINGS": "ignore",
                "POOLSITE_DATA_DIR": "/nowhere",  # a child that uses this folder would fail
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def ask(self, order: Mapping[str, Any]) -> Any:
        """Give one order and return its answer."""
        with self._lock:
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.write(json.dumps(order) + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the process that forks has ended: {self._process.wait()}")
        return json.loads(answer)


_forkers: dict[tuple[object, ...], _Forker] = {}
_starting = threading.Lock()


def _forker_of(tree: Path, environment: Mapping[str, str]) -> _Forker:
    """Return the forker of a tree and its early settings. A forked test process has its own."""
    early = {name: environment[name] for name in EARLY_VARIABLES if name in environment}
    key = (os.getpid(), tree.resolve(), *early.items())
    with _starting:
        if key not in _forkers:
            _forkers[key] = _Forker(tree, early)
        return _forkers[key]


def main() -> None:
    """Fork a child for each order on standard input, until the input ends."""
    import django

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    django.setup()
    for name in WARM:
        with suppress(ImportError):  # a former release may not have the module yet
            importlib.import_module(name)
    gc.collect()
    gc.freeze()  # a collection would copy every page that the children share
    for line in sys.stdin:
        order = json.loads(line)
        if "ended" in order:
            _, status = os.waitpid(order["ended"], 0)
            answer = {"code": os.waitstatus_to_exitcode(status)}
        else:
            answer = {"pid": _fork(order)}
        print(json.dumps(answer), flush=True)


def _fork(order: Mapping[str, Any]) -> int:
    """Return the child once it leads its session and has its files, so that it can be killed."""
    files = [os.open(*each, 0o666) for each in zip(order["files"], MODES, strict=True)]
    waiting, ready = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(waiting)
        _become(order, files, ready)
    for descriptor in (ready, *files):
        os.close(descriptor)
    os.read(waiting, 1)  # returns when the caller has ended
    os.close(waiting)
    return pid


def _become(order: Mapping[str, Any], files: list[int], ready: int) -> None:
    """Become the program, in the child. Never returns."""
    die_with_parent(signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if order["session"]:
        os.setsid()
    for number, descriptor in enumerate(files):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.close(ready)
    words, environment = order["words"], order["environment"]
    os.environ.clear()
    os.environ.update(environment)
    code = 0
    sys.argv = ["-c", *words[2:]] if words[0] == "-c" else words[words[0] == "-m" :]
    try:
        if _is_ready_for(environment) and _read_settings_again():
            _run_program(words)
        else:
            os.execve(sys.executable, [sys.executable, *words], environment)
    except SystemExit as end:
        code = _code_of(end)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    os._exit(code)


def _is_ready_for(environment: Mapping[str, str]) -> bool:
    is_ours = environment.get("DJANGO_SETTINGS_MODULE", SETTINGS) == SETTINGS
    return is_ours and not any(name in environment for name in AT_THE_START)


def _read_settings_again() -> bool:
    """Read the settings again from the environment. Return False if that is not enough.

    This works like Django's `override_settings`, but also covers the databases.
    """
    from django.conf import settings
    from django.core.signals import setting_changed
    from django.db import connections

    module = sys.modules[SETTINGS]
    former = _settings_of(module)
    try:
        for name in [each for each in sys.modules if each.startswith(f"{SETTINGS}.")]:
            del sys.modules[name]  # by topic: `module` imports them again
        importlib.reload(module)
    except Exception:  # the program itself reports what is wrong with the settings
        return False
    fresh = _settings_of(module)
    if any(fresh[name] != former[name] for name in (*EARLY, "INSTALLED_APPS") if name in former):
        return False
    for connection in connections.all(initialized_only=True):
        del connections[connection.alias]
    connections._settings = None
    connections.__dict__.pop("settings", None)
    for name in fresh:  # what apps have added to the settings stays
        if fresh[name] != former.get(name):
            setattr(settings, name, fresh[name])
            setting_changed.send(sender=None, setting=name, value=fresh[name], enter=True)
    os.environ["TZ"] = settings.TIME_ZONE  # as Django does
    _read_crash_point_again()
    importlib.import_module("django").setup()  # for the logging
    return True


def _settings_of(module: Any) -> dict[str, Any]:
    return {name: each for name, each in vars(module).items() if name.isupper()}


def _read_crash_point_again() -> None:
    from poolsite.runtime import crash_points

    crash_points._NAME, crash_points._PASSING = crash_points._configured()


def _run_program(words: list[str]) -> None:
    """Do what `python words…` does."""
    if os.environ.get("PYTHONUNBUFFERED"):
        sys.stdout.reconfigure(line_buffering=True)
    if words[0] == "-c":
        exec(words[1], {"__name__": "__main__"})
    elif words[0] == "-m":
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(words[0], run_name="__main__")


def _code_of(end: SystemExit) -> int:
    if end.code is None or isinstance(end.code, int):
        return end.code or 0
    sys.stderr.write(f"{end.code}\n")
    return 1


if __name__ == "__main__":
    main()
