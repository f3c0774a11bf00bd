"""Every Lua file of the tree: its header is true, and Python has a command for it."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from poolsite import hotpath
from poolsite.hotpath.scripts import read_script

ROOT = Path(__file__).resolve().parents[2]
APPS = ("numbers", "poolsite", "queueing", "billing")
FILES = sorted(
    path for app in APPS for path in (ROOT / app).rglob("lua/*.lua") if path != hotpath.PRELUDE
)
HEADER = re.compile(r"\A--\[\[.*?^\]\]", re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r"--.*")
# Commands and options that Redis 6.2 does not know.
TOO_NEW = re.compile(
    r"'(LMPOP|ZMPOP|SINTERCARD|ZINTERCARD|EXPIRETIME|PEXPIRETIME|HEXPIRE|HPEXPIRE|HTTL|HPERSIST|"
    r"HGETEX|HSETEX|HGETDEL|SSUBSCRIBE|SPUBLISH|FCALL|OBJECT FREQ|LCS)'"
)

each_script = pytest.mark.parametrize(
    "path", FILES, ids=[str(path.relative_to(ROOT)) for path in FILES]
)


@cache
def script_of(path: Path) -> hotpath.Script:
    """Read the script's file. test_scripts_command proves that the script is registered, too."""
    title = path.read_text(encoding="utf-8").split(maxsplit=2)[1]
    return read_script(title.partition("/")[0], path)


def code_of(script: hotpath.Script) -> str:
    """Return the Lua code with its includes, without header and comments."""
    return COMMENT.sub("", HEADER.sub("", script.body))


def whole_code_of(script: hotpath.Script) -> str:
    """Return the Lua code with the parts of its app's modules that it uses."""
    modules = script.modules
    needed = modules.needed_by([code_of(script)])
    return "\n".join([code_of(script), *(modules.members.get(name, "") for name in needed)])


def used(code: str, name: str) -> tuple[set[int], bool]:
    """Return the indexes of KEYS or ARGV in the code, and whether the code counts them."""
    fixed = {int(n) for n in re.findall(rf"\b{name}\[(\d+)\]", code)}
    if name == "KEYS":
        fixed |= {int(n) for n in re.findall(r"\bkey\((\d+)\s*,", code)}
    counted = re.search(rf"\b{name}\b(?!\[\d+\])", code) is not None
    return fixed, counted


def test_there_are_scripts_to_look_at() -> None:
    assert len(FILES) >= 4


@each_script
def test_the_keys_of_a_header_are_those_of_the_body(path: Path) -> None:
    script = script_of(path)
    fixed, counted = used(code_of(script), "KEYS")
    declared = set(range(1, len(script.keys) + 1))
    assert fixed <= declared, f"used but not declared: {sorted(fixed - declared)}"
    # Operations that use modules build every key from the tag: the header lists the keys.
    if not counted and not script.modules.names:
        assert declared <= fixed, f"declared but not used: {sorted(declared - fixed)}"
    assert counted or not script.more_keys


@each_script
def test_an_operation_with_modules_declares_every_key_that_they_build(path: Path) -> None:
    script = script_of(path)
    if not script.modules.names:
        return
    code = whole_code_of(script)
    built = set(re.findall(r"(?:tag|KEYS\[1\]) \.\. '(:[\w:]+)'", code))
    assert built - set(script.keys) <= {":wake", ":offers"}  # channels


@each_script
def test_the_arguments_of_a_header_are_those_of_the_body(path: Path) -> None:
    script = script_of(path)
    fixed, counted = used(code_of(script), "ARGV")
    declared = set(range(1, len(script.arguments) + 1))
    assert script.more_arguments or fixed <= declared, f"not declared: {sorted(fixed - declared)}"
    if not counted:
        assert declared <= fixed, f"declared but not used: {sorted(declared - fixed)}"


@each_script
def test_python_names_the_script_in_its_own_app(path: Path) -> None:
    assert path.stem in words_of(path.parent.parent)


@each_script
def test_no_command_is_newer_than_redis_6_2_nor_unbounded(path: Path) -> None:
    code = code_of(script_of(path))
    assert TOO_NEW.search(code.upper()) is None
    assert re.search(r"'(KEYS|FLUSHALL|FLUSHDB|SCAN|RANDOMKEY)'", code, re.IGNORECASE) is None


# They create or remove a whole aggregate: they can't misread older data.
WHOLE = {"create", "destroy"}


@each_script
def test_an_apps_script_checks_the_datas_version(path: Path) -> None:
    """poolsite's own scripts work on any version: they write none of the apps' formats."""
    if path.is_relative_to(ROOT / "poolsite"):
        assert "script_version" not in code_of(script_of(path))
    elif path.stem not in WHOLE:
        code = whole_code_of(script_of(path))
        assert re.search(r"\boutdated\(", code), "call outdated(…) before anything is written"


@cache
def words_of(folder: Path) -> frozenset[str]:
    """Return every string literal of an app's Python files."""
    return frozenset(
        node.value
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
