"""The product with one line changed, in forks of one process that has imported all of it.

python -m tests.chaos.mutant OUTPUT TEST…

is a pytest run that collects the tests and then reads cases, one as JSON on each line of its
standard input. For each it forks: the fork changes the product in memory and continues as the run
of that case's test; the files are untouched. The fork's output goes to OUTPUT; its exit code is the
answer, one line. The run ends, and with it its servers, when the cases do.
"""

import ast
import gc
import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from unittest import mock

import pytest
import redis
from django.conf import settings

from poolsite.hotpath import PRELUDE, Script, scripts
from poolsite.hotpath.scripts import forget_assembled, read_prelude, read_script
from poolsite.runtime.redis_server import die_with_parent
from tests.support.waiting import patient

ROOT = Path(__file__).resolve().parents[2]
CHANGED_APP = "MUTANT_APP"  # whose migrations tests/support/database.py leaves to Django
LONGEST_SECONDS = 180.0  # for the imports, and for each test


@dataclass(frozen=True)
class Case:
    """A safeguard: its file and text, the text to replace it, and the test that guards it."""

    file: str
    old: str
    new: str
    test: str


EVERY_TEST = Case("", "", "", "")  # with nothing changed


@dataclass(frozen=True)
class Mutation:
    """A change of one file's text. Raise ValueError unless the file has the text exactly once."""

    path: Path
    old: str
    new: str

    def of(self, text: str) -> str:
        if text.count(self.old) != 1:
            raise ValueError(f"{self.path}: {self.old!r} is found {text.count(self.old)} times")
        return text.replace(self.old, self.new)


# -- changing what runs ----------------------------------------------------------------------------


def apply(mutation: Mutation) -> None:
    """Make this process run the changed text. Raise ValueError if no running code changes."""
    text = mutation.path.read_text()
    changed = mutation.of(text)
    gc.unfreeze()  # frozen objects are not among gc.get_objects()
    if mutation.path.suffix == ".lua":
        done = swap_scripts(mutation.path, changed)
    else:
        name = ".".join(mutation.path.relative_to(ROOT).with_suffix("").parts)
        module = importlib.import_module(name)
        if mutation.path.parent.name == "migrations":
            os.environ[CHANGED_APP] = mutation.path.parent.parent.name
            done = _run_again(module, changed)
        else:
            done = _swap_code(module, text, changed) + _swap_constants(module, text, changed)
    if not done:
        raise ValueError(f"{mutation.path}: nothing that runs is changed by {mutation.new!r}")


def swap_scripts(path: Path, changed: str) -> int:
    """Make scripts and libraries use `changed` instead of this file.

    The file is a script, a module or the prelude. Return how many scripts have another text now.
    """
    read = Path.read_text

    def read_text(self: Path, encoding: str | None = None, errors: str | None = None) -> str:
        return changed if self.resolve() == path else read(self, encoding, errors)

    # Not only the registry's: if a folder was loaded twice, it knows only the last.
    known = [each for each in gc.get_objects() if type(each) is Script]
    done = 0
    with mock.patch.object(Path, "read_text", read_text):
        if path == PRELUDE:
            texts = [script.text for script in known]
            scripts._assemble_with(tuple(read_prelude(PRELUDE).items()))
            return sum(each.text != text for each, text in zip(known, texts, strict=True))
        for script in known:
            if not path.is_relative_to(script.path.resolve().parent):
                continue
            before, fresh = script.text, read_script(script.app, script.path)
            vars(script).clear()  # its text and SHA-1 as well
            vars(script).update(vars(fresh))
            done += script.text != before
    forget_assembled()  # libraries, too
    return done


def _swap_code(module: ModuleType, text: str, changed: str) -> int:
    """Give functions, methods and closures their changed code. They stay the same objects."""
    file = str(module.__file__)
    before, after = (compile(each, file, "exec", dont_inherit=True) for each in (text, changed))
    codes = {(was.co_qualname, was.co_firstlineno): now for was, now in _different(before, after)}
    done = 0
    for function in [each for each in gc.get_objects() if type(each) is FunctionType]:
        code = function.__code__
        now = codes.get((code.co_qualname, code.co_firstlineno))
        if now is not None and code.co_filename == file:
            function.__code__ = now
            done += 1
    return done


def _different(before: CodeType, after: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """Yield what differs, outermost first. What only one of the two has is left out."""
    if before == after:
        return
    yield before, after
    inside = _inside(after)
    for was in _inside(before):
        now = next((each for each in inside if each.co_qualname == was.co_qualname), None)
        if now is not None:
            inside.remove(now)
            yield from _different(was, now)


def _inside(code: CodeType) -> list[CodeType]:
    return [each for each in code.co_consts if isinstance(each, CodeType)]


def _swap_constants(module: ModuleType, text: str, changed: str) -> int:
    """Give a constant its changed value in every module that has imported it by name."""
    done = 0
    for was, now in zip(ast.parse(text).body, ast.parse(changed).body, strict=True):
        if not isinstance(now, ast.Assign | ast.AnnAssign) or ast.dump(was) == ast.dump(now):
            continue
        values = dict(vars(module))
        exec(compile(ast.Module([now], []), str(module.__file__), "exec"), values)
        for name, old in list(vars(module).items()):
            if values[name] is not old:
                for each in [each for each in sys.modules.values() if isinstance(each, ModuleType)]:
                    if vars(each).get(name) is old:
                        setattr(each, name, values[name])
                        done += 1
    return done


def _run_again(migration: ModuleType, changed: str) -> int:
    """Give a migration's module the changed class, which Django looks up when it migrates."""
    exec(compile(changed, str(migration.__file__), "exec", dont_inherit=True), vars(migration))
    return 1


# -- the run that forks ----------------------------------------------------------------------------


class Forking:
    """A pytest plugin that serves cases, each in a fork, between the collection and the tests."""

    def __init__(self, output: str) -> None:
        self._output = output
        self._session: pytest.Session | None = None  # in a fork

    @pytest.hookimpl(tryfirst=True)  # before any thread starts, which a fork would lack
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        if session.testsfailed or not session.items:
            return  # pytest reports why
        signal.alarm(0)
        for line in sys.stdin:
            case = Case(**json.loads(line))
            pid = os.fork()
            if not pid:
                self._become(session, case)
                return
            _, status = os.waitpid(pid, 0)
            print(os.waitstatus_to_exitcode(status), file=sys.__stdout__, flush=True)
        session.items.clear()

    def _become(self, session: pytest.Session, case: Case) -> None:
        """Become the run of the case's test, on empty stores, with its change."""
        self._session = session
        die_with_parent(signal.SIGKILL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.alarm(int(patient(LONGEST_SECONDS)))
        _turn_output_to(self._output)
        _empty_stores()
        if case != EVERY_TEST:
            apply(Mutation(ROOT / case.file, case.old, case.new))
            session.items[:] = [item for item in session.items if _is(item, case.test)]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and report.when == "call":
            print(f"\n{killed_by(report.nodeid)}")

    @pytest.hookimpl(tryfirst=True)  # before the warm process' servers are ended
    def pytest_unconfigure(self) -> None:
        if self._session is not None:
            sys.stdout.flush()
            os._exit(int(self._session.exitstatus))


def killed_by(test: str) -> str:
    """Return the line that shows that this very test failed in a fork, nothing around it."""
    return f"killed by {test}"


def _is(item: pytest.Item, test: str) -> bool:
    return item.nodeid.partition("[")[0] == test


def _turn_output_to(path: str) -> None:
    """Send standard output and error to a file. Only the warm process reads the cases."""
    output = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for kept, stream in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(kept, stream)


def _empty_stores() -> None:
    """Delete what the previous fork left: keys, and SQLite's files, perhaps with a journal."""
    with redis.Redis.from_url(os.environ["REDIS_URL"]) as client:
        client.flushall()
    for left in Path(settings.DATA_DIR).glob("test.sqlite3*"):
        left.unlink()


def main(output: str, *tests: str) -> int:
    """Collect, serve, and return pytest's exit code."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the servers are ended then, too
    signal.alarm(int(patient(LONGEST_SECONDS)))
    # Standard output is only for the answers, so no progress may be printed there.
    plain = ["-q", "-x", "-s", "-p", "no:cacheprovider", "-p", "no:progress"]
    with redirect_stdout(sys.stderr):
        return pytest.main([*plain, *tests], plugins=[Forking(output)])


# -- the other side --------------------------------------------------------------------------------


@dataclass
class Mutants:
    """The warm process, for the tests that have cases for it."""

    process: subprocess.Popen[str]
    output: Path
    log: Path

    def run(self, case: Case) -> tuple[int, str]:
        """Return pytest's exit code (negative: the signal that ended it) and its output."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with suppress(BrokenPipeError):  # it has ended: the missing answer shows it
            os.write(self.process.stdin.fileno(), f"{json.dumps(asdict(case))}\n".encode())
        answer = self.process.stdout.readline()
        assert answer, f"the warm process has ended:\n{self.log.read_text()[-3000:]}"
        return int(answer), self.output.read_text()


@contextmanager
def warmed(folder: Path, tests: Sequence[str]) -> Iterator[Mutants]:
    """Start the process for these tests. It ends with the block, and with this process."""
    output, log = folder / "output", folder / "log"
    # What belongs to this run of pytest. The mutants' tests always use copies of SQLite.
    foreign = ("PYTEST_", "REPEAT", "TEST_DATABASE", "DATABASE_URL")
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(foreign)
    }
    with (
        log.open("w") as errors,
        subprocess.Popen(
            [sys.executable, "-m", "tests.chaos.mutant", str(output), *tests],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            preexec_fn=die_with_parent,
        ) as process,
    ):
        yield Mutants(process, output, log)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
