"""What no tracked file may contain, and how long a file may be."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import poolsite
from tests.house.source import ROOT, files, relative, text_of, tree

pytestmark = pytest.mark.processes

LONGEST_FILE_LINES = 400
LONGEST_TEST_LINES = 500  # all rules of one object, proved in one place
CODE = (".py", ".lua", ".js", ".css", ".html")
# Assembled here, so that this file does not contain what it searches for.
UNFINISHED = re.compile(
    "|".join(
        [
            r"\bTO" + r"DO\b",
            r"\bFIX" + r"ME\b",
            r"\bX" + r"XX\b",
            "NotImplemented" + "Error",
            r"pytest\.skip" + r"\(",
            r"importor" + "skip",
            r"mark\.(skip|x" + "fail)",
        ]
    )
)
MACHINE_PATHS = re.compile(r"(?<![\w.])/(home|Users|root)/[\w.-]+/")
QUERY = re.compile(r"\.objects\b|\.filter\(|\.exclude\(|\.select_for_update\(|\bqueryset\b")


def _found(pattern: re.Pattern[str], *endings: str) -> list[str]:
    return [
        f"{relative(path)}:{number}: {line.strip()[:80]}"
        for path in files(*endings)
        for number, line in enumerate(text_of(path).splitlines(), start=1)
        if pattern.search(line)
    ]


def test_nothing_unfinished_and_nothing_left_out_stands_in_the_tree():
    assert _found(UNFINISHED, *CODE) == []


def test_no_file_names_a_folder_of_somebody_s_machine():
    here = re.compile(f"{re.escape(str(ROOT))}/|{re.escape(str(ROOT.parent / 'shared'))}")
    assert _found(MACHINE_PATHS) + _found(here) == []


def test_no_file_names_the_package_index_of_this_machine():
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    ).stdout
    hosts = set(re.findall(r"https?://([^/:'\"\s]+)", listed)) - {"localhost", "127.0.0.1"}
    options = [r"^--(extra-)?index" + "-url", "^--find" + "-links", '"resolved": *"http']
    found = _found(re.compile("|".join([*options, *map(re.escape, sorted(hosts))])))
    assert found == []


def test_no_file_is_too_long_to_find_one_s_way_in():
    long = {
        relative(path): lines
        for path in files(".py", ".lua", ".js", ".css")
        if "migrations" not in path.parts  # generated
        if (lines := len(text_of(path).splitlines()))
        > (LONGEST_TEST_LINES if relative(path).startswith("tests/") else LONGEST_FILE_LINES)
    }
    assert long == {}


def bulk_writes(source: ast.Module) -> list[int]:
    """Return the lines that write many rows at once: QuerySet.update, .delete and bulk_*."""
    lines = []
    for node in ast.walk(source):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        name, receiver = node.func.attr, ast.unparse(node.func.value)
        if name in ("bulk_create", "bulk_update") or (
            name in ("update", "aupdate", "delete", "adelete") and QUERY.search(receiver)
        ):
            lines.append(node.lineno)
    return lines


def _is_service(path: Path) -> bool:
    words = set(path.relative_to(ROOT).with_suffix("").parts)
    return bool(words & {"services", "migrations", "tests"})


def test_the_version_that_the_code_knows_is_the_projects():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert poolsite.__version__ == project["version"]


def test_many_rows_are_written_by_services_only():
    # They bypass save() and signals, so only services do it: they also write the audit entry.
    # Elsewhere the line states why no entry is due: `# unaudited: a counter of our own`.
    found = [
        f"{relative(path)}:{line}"
        for path in files(".py")
        if not _is_service(path)
        for line in bulk_writes(tree(path))
        if "# unaudited: " not in text_of(path).splitlines()[line - 1]
    ]
    assert found == []


def test_the_search_for_bulk_writes_sees_them_and_nothing_else():
    source = "\n".join(
        [
            "Number.objects.filter(pool=1).update(label='')",
            "queryset.delete()",
            "Number.objects.bulk_create(rows)",
            "settings.update(more)",
            "digest.update(b'')",
            "row.delete()",
        ]
    )
    assert bulk_writes(ast.parse(source)) == [1, 2, 3]
