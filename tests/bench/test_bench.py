"""The bench's runner, its table and its JSON. No speed is judged here."""

import ast
import json
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.bench import __main__ as bench
from tests.bench import machine
from tests.bench.result import Row, as_table, at_least, at_most

MODULES = sorted(Path(__file__).parent.glob("row_*.py"))
KEYS = {"row", "name", "ours", "reference", "ratio", "mark", "verdict", "notes", "figures"}


def _row(verdict: str = "pass") -> Row:
    return Row("1", "a thing", "2 µs", "1 µs", 2.0, "≤ 8×", verdict, notes="a note")


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, object]:
    """A folder with two rows made for this test. `first` and `second` are what their run() does."""
    does: dict[str, object] = {"first": _row(), "second": [_row("short"), _row("not judged")]}
    for number, name in ((1, "first"), (2, "second")):
        (tmp_path / f"row_{number:02d}_{name}.py").touch()
        module = ModuleType(f"tests.bench.row_{number:02d}_{name}")

        def run(name: str = name) -> object:
            found = does[name]
            if isinstance(found, Exception):
                raise found
            return found

        module.run = run
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(bench, "HERE", tmp_path)
    return does


def _main(monkeypatch: pytest.MonkeyPatch, path: Path, asked: str = "") -> int:
    words = ["bench", "--rows", asked, "--json", str(path)]
    monkeypatch.setattr(sys, "argv", words)
    return bench.main()


def test_all_rows_run_and_are_written_as_json(rows, monkeypatch, tmp_path, capsys) -> None:
    assert _main(monkeypatch, tmp_path / "bench.json") == 0
    written = json.loads((tmp_path / "bench.json").read_text())
    assert [row["verdict"] for row in written] == ["pass", "short", "not judged"]
    assert all(set(row) == KEYS for row in written)
    assert "a thing" in capsys.readouterr().out


def test_only_the_rows_that_were_asked_for_run(rows, monkeypatch, tmp_path) -> None:
    rows["second"] = AssertionError("not asked for")
    assert _main(monkeypatch, tmp_path / "bench.json", "1") == 0
    assert len(json.loads((tmp_path / "bench.json").read_text())) == 1


def test_a_row_without_a_module_of_its_own_runs_the_one_that_measures_it(
    rows, monkeypatch, tmp_path
) -> None:
    (tmp_path / "row_02_second.py").unlink()
    rows["second"] = AssertionError("gone")
    assert _main(monkeypatch, tmp_path / "bench.json", "2") == 0
    assert len(json.loads((tmp_path / "bench.json").read_text())) == 1


def test_a_row_that_cannot_be_measured_is_told_and_the_others_run(
    rows, monkeypatch, tmp_path, capsys
) -> None:
    rows["first"] = RuntimeError("no such server")
    assert _main(monkeypatch, tmp_path / "bench.json") == 1
    written = json.loads((tmp_path / "bench.json").read_text())
    assert [row["verdict"] for row in written] == ["error", "short", "not judged"]
    assert "no such server" in written[0]["notes"]


def test_an_unknown_row_is_named_and_nothing_runs(rows, monkeypatch, tmp_path, capsys) -> None:
    assert _main(monkeypatch, tmp_path / "bench.json", "1 99") == 2
    assert "[99]" in capsys.readouterr().err
    assert not (tmp_path / "bench.json").exists()


def test_the_columns_of_the_table_stand_under_their_heads() -> None:
    head, rule, line, note = as_table([_row()]).splitlines()
    for name, cell in (
        ("ours", "2 µs"),
        ("reference", "1 µs"),
        ("ratio", "2.00"),
        ("mark", "≤ 8×"),
    ):
        assert line.index(cell) == head.index(name)
    assert set(rule) == {"-", " "}
    assert note.strip() == "1: a note"


def test_a_mark_is_met_at_its_limit_and_missed_behind_it() -> None:
    assert (at_most(8.0, 8.0), at_most(8.0, 8.01)) == ("pass", "short")
    assert (at_least(50.0, 50.0), at_least(50.0, 49.9)) == ("pass", "short")


@pytest.mark.parametrize(
    ("rate", "passed", "verdict"),
    [(79_999, True, "not judged"), (80_000, True, "pass"), (80_000, False, "short")],
)
def test_absolute_limits_are_judged_on_a_quick_machine_alone(
    monkeypatch, rate, passed, verdict
) -> None:
    monkeypatch.setattr(machine, "no_op_per_second", lambda: rate)
    assert machine.judged_here(passed) == verdict


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_each_row_states_its_load_and_has_run(path: Path) -> None:
    assert re.fullmatch(r"row_\d\d_[a-z_]+", path.stem)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    said = ast.get_docstring(tree) or ""
    assert said.startswith("Row")
    for word in ("Load:", "Left out:"):
        assert word in said, word
    assert "run" in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
