"""The folder `numbers` and the standard library's module of that name, in fresh interpreters.

Reasons: docs/decisions/0001-the-name-numbers.md. `make setup` writes the one .pth file that `-m`,
spawned processes and interpreters started elsewhere need; manage.py, asgi and Celery work without
it.
"""

import subprocess
import sys
import sysconfig
import textwrap
from pathlib import Path

import pytest

from tests.house.source import ROOT

pytestmark = pytest.mark.processes

BOTH = f"""
import decimal, fractions, statistics
from numbers import Integral, Number
import numbers.erlang
assert isinstance(1, Integral) and isinstance(decimal.Decimal(1), Number)
print(numbers.erlang.__file__ == {str(ROOT / "numbers" / "erlang.py")!r})
"""
# Without `site` no .pth file is read, as on a machine that was not set up by `make setup`.
BARE = f"import sys; sys.path[:0] = [{str(ROOT)!r}, {sysconfig.get_path('purelib')!r}]\n"


def _run(folder: Path, *arguments: str) -> str:
    result = subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


@pytest.fixture(params=["the root", "elsewhere"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return ROOT if request.param == "the root" else tmp_path


def test_with_the_path_file_both_meanings_import_at_once(folder):
    assert _run(folder, "-c", BOTH) == "True"


def test_with_the_path_file_a_module_runs_by_its_name(folder):
    assert _run(folder, "-m", "numbers.erlang") == ""


def test_without_the_path_file_the_ground_floor_s_import_is_enough(folder):
    assert _run(folder, "-S", "-c", f"{BARE}import poolsite\n{BOTH}") == "True"


def test_without_the_path_file_the_standard_module_wins_the_name(folder):
    program = f"{BARE}import numbers; print(hasattr(numbers, '__path__'), numbers.__file__)"
    has_path, file = _run(folder, "-S", "-c", program).split(" ", 1)
    assert has_path == "False"
    assert not file.startswith(str(ROOT))


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_a_child_of_multiprocessing_finds_our_modules(method, folder, tmp_path):
    program = tmp_path / "parent.py"
    program.write_text(
        textwrap.dedent(
            f"""
            import multiprocessing
            import numbers.erlang

            if __name__ == "__main__":
                with multiprocessing.get_context({method!r}).Pool(1) as pool:
                    print(pool.apply(numbers.erlang.blocking, (4.0, 6)))
            """
        )
    )
    assert _run(folder, str(program)) == _run(
        ROOT, "-c", "import numbers.erlang as n; print(n.blocking(4.0, 6))"
    )


@pytest.mark.parametrize("site", [[], ["-S"]], ids=["with the path file", "without it"])
def test_celery_finds_the_tasks_of_the_app(site, folder):
    program = f"""{BARE}
import poolsite.celery, sys
poolsite.celery.app.loader.import_default_modules()
print("numbers.tasks" in sys.modules)
"""
    assert _run(folder, *site, "-c", program) == "True"


def test_manage_py_starts_without_the_path_file():
    program = f"""{BARE}
import runpy
sys.argv = ["manage.py", "makemigrations", "--help"]
runpy.run_path({str(ROOT / "manage.py")!r}, run_name="__main__")
"""
    assert "Creates new migration" in _run(ROOT, "-S", "-c", program)


def test_the_folder_has_no_init_file_and_never_may_have():
    # With one, it would shadow the standard module for every program started in the root.
    assert not (ROOT / "numbers" / "__init__.py").exists()
