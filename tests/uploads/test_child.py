"""The process that reads files: its limits, how it ends, and that its output is never trusted."""

import subprocess
import sys
from pathlib import Path

import pytest

from poolsite import table_files
from poolsite.table_files import read_cells
from poolsite.table_reader import child
from poolsite.table_reader.cells import Formula, OpenQuote
from poolsite.table_reader.limits import MEMORY_BYTES, UnreadableFileError
from tests.support.waiting import until
from tests.uploads.reading import has_ended
from tests.uploads.workbooks import SHEET, saved, workbook, worksheet

pytestmark = pytest.mark.processes

ROOT = Path(child.__file__).resolve().parents[2]
SEND = "import os, sys, time\ndef send(b): os.write(1, len(b).to_bytes(4, 'big') + b)\n"
STOPPED = "stops the program that reads it"


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen]:
    """The processes that were started to read files."""
    found: list[subprocess.Popen] = []

    class Noted(subprocess.Popen):
        def __init__(self, *args, **kwargs) -> None:
            super().__init__(*args, **kwargs)
            found.append(self)

    monkeypatch.setattr(subprocess, "Popen", Noted)
    return found


def run_instead(monkeypatch: pytest.MonkeyPatch, folder: Path, code: str) -> Path:
    """Replace the reader with this program, as if an attacker had taken the reader over."""
    program = folder / "taken_over.py"
    program.write_text(SEND + code)
    monkeypatch.setattr(table_files, "_PROGRAM", str(program))
    return saved(folder, b"1\n", "file.csv")


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("os.write(1, b'\\xff' * 8)", STOPPED),
        ("send(b'no JSON')", STOPPED),
        ("send(b'[' * 100_000)", STOPPED),
        ("send(b'7')", STOPPED),
        ("send(b'{\"rows\": 7}')", STOPPED),
        ("send(b'{\"rows\": [{}]}')", STOPPED),
        ("send(b'{\"rows\": [[7]]}')", STOPPED),
        ("send(b'{\"rows\": [[null]]}')", STOPPED),
        ('send(b\'{"rows": [[["f", 1, 2]]]}\')', STOPPED),
        ('send(b\'{"rows": [[["q", "a", -1]]]}\')', STOPPED),
        ("send(b'{\"rows\": []}')", STOPPED),
        ("os.write(1, b'\\x00\\x00\\x00\\x09only')", STOPPED),
        ("os.kill(os.getpid(), 11)", STOPPED),
        ("os.kill(os.getpid(), 24)", "too long to read"),
        ("os.kill(os.getpid(), 9)", "too long to read"),
        ("sys.exit(3)", STOPPED),
        (
            "while True: send(b'{\"rows\": [' + b'[],' * 99_999 + b'[]]}')",
            "more than 1,000,000 rows",
        ),
        ("send(b'{\"error\": \"' + b'x' * 9_000 + b'\"}')", "^x{300}$"),
        ("os.close(1); os._exit(0)", STOPPED),
    ],
)
def test_a_reader_that_was_taken_over_can_do_no_more_than_refuse_the_file(
    monkeypatch, tmp_path, started, code, told
) -> None:
    path = run_instead(monkeypatch, tmp_path, code)
    with pytest.raises(UnreadableFileError, match=told):
        list(read_cells(path, path.name))
    assert has_ended(started[0].pid)


def test_a_reader_that_hangs_is_ended(monkeypatch, tmp_path, started) -> None:
    path = run_instead(monkeypatch, tmp_path, "time.sleep(10_000)")
    monkeypatch.setattr(table_files, "WAIT_SECONDS", 0.1)
    with pytest.raises(UnreadableFileError, match="too long to read"):
        list(read_cells(path, path.name))
    assert has_ended(started[0].pid)


def test_the_reader_ends_with_the_iterator(tmp_path, started) -> None:
    path = saved(tmp_path, b"1\n" * 500_000, "file.csv")
    rows = read_cells(path, path.name)
    assert next(rows) == ["1"]
    assert not has_ended(started[0].pid)
    del rows
    until(lambda: has_ended(started[0].pid))


def test_the_reader_has_the_file_and_nothing_else(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("POOLSITE_SECRET_KEY", "a secret")
    code = (
        "import json\n"
        "fds = [n for n in range(256) if os.path.exists(f'/proc/self/fd/{n}')]\n"
        "rows = [sorted(set(os.environ) - {'LC_CTYPE'}), list(map(str, fds)), [os.getcwd()]]\n"
        "send(json.dumps({'rows': rows}).encode()); send(b'{}')"
    )
    with (tmp_path / "open in the parent").open("w"):
        path = run_instead(monkeypatch, tmp_path, code)
        assert list(read_cells(path, path.name)) == [[], ["0", "1", "2"], ["/"]]


def test_the_kernel_holds_the_limits_of_the_reader() -> None:
    code = (
        f"import os, socket, sys; sys.path.append({str(ROOT)!r})\n"
        "from poolsite.table_reader import child\n"
        "child._limit()\n"
        "def fails(does):\n"
        "    try: does()\n"
        "    except (OSError, MemoryError): return True\n"
        f"print(fails(lambda: bytearray({MEMORY_BYTES})),\n"
        "    fails(lambda: os.write(os.open(sys.argv[1], os.O_WRONLY), b'1')),\n"
        "    fails(lambda: [open('/dev/null') for _ in range(99)] and None))\n"
        "child._limit_cpu(1)\n"
        "while True: pass\n"
    )
    run = [sys.executable, "-I", "-S", "-u", "-W", "ignore", "-c", code, __file__]
    found = subprocess.run(run, capture_output=True, check=False)
    assert found.stdout.split() == [b"True"] * 3, found.stderr
    assert found.returncode == -24


def test_the_reader_imports_nothing_but_the_standard_library() -> None:
    code = (
        f"import sys; sys.path.append({str(ROOT)!r})\n"
        "import poolsite.table_reader.child\nprint(*sys.modules)"
    )
    run = [sys.executable, "-I", "-S", "-c", code]
    names = subprocess.run(run, capture_output=True, text=True, check=True).stdout.split()
    tops = {name.partition(".")[0] for name in names}
    assert tops - sys.stdlib_module_names == {"__main__", "poolsite"} - sys.stdlib_module_names
    assert {name for name in names if name.startswith("poolsite.")} == {
        "poolsite.table_reader",
        *(
            f"poolsite.table_reader.{path.stem}"
            for path in Path(child.__file__).parent.glob("[!_]*.py")
        ),
    }


def test_every_kind_of_cell_comes_through_the_pipe(tmp_path) -> None:
    rows = '<row><c><f>A1+1</f><v>2</v></c><c t="str"><v>\u53f7 &#10;"</v></c></row>'
    path = saved(tmp_path, workbook({SHEET: worksheet(rows)}))
    [[formula, text]] = read_cells(path, path.name)
    assert (formula, type(formula), formula.shown, text) == ("=A1+1", Formula, "2", '\u53f7 \n"')
    path = saved(tmp_path, b'"1,a\n2,b\n', "file.csv")
    cells = [row[0] for row in read_cells(path, path.name)]
    assert all(type(cell) is OpenQuote for cell in cells)
    assert [(cell.line, cell.since) for cell in cells] == [('"1,a', 0), ("2,b", 1)]


def test_a_file_that_is_not_there_is_no_unreadable_file(tmp_path) -> None:
    with pytest.raises(FileNotFoundError):
        next(read_cells(tmp_path / "none.csv", "none.csv"))
