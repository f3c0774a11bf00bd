"""luacheck on both forms, and the step "lua" of `make check`."""

import sys
from pathlib import Path

import pytest

from tests.house import __main__ as check
from tests.house import lua, lua_form
from tests.house.lua_lint import faults, module_options
from tests.house.lua_sources import PRELUDE, Folder, Source
from tests.house.test_lua_form import GATE, TAKE, lay
from tests.support import needs

pytestmark = pytest.mark.processes
needs_luacheck = pytest.mark.needs("luacheck")

HEADER = """--[[ app/take
Purpose: p
KEYS[1] {app}  HASH  what is kept
Reply: r
Errors: none
Complexity: O(1)
Version: 1
]]
"""


def taking(*lines: str) -> str:
    return TAKE.replace("return", "\n".join([*lines, "return"]))


@needs_luacheck
def test_the_new_form_is_clean_as_it_stands(tmp_path: Path) -> None:
    text = taking("redis.call('PING', VERSION, now_us(KEYS[1]), int(1), cjson.encode(ARGV))")
    assert faults(lay(tmp_path, take=text)) == []


# a line of an operation → its warning
BAD = [
    ("local unused = 1", "W211"),
    ("gate.now = missing", "W113"),
    ("missing = 1", "W111"),
    ("gate = 1", "W121"),
    ("gate.open = nil", "W122"),
    ("gate.WAKE_US = 1", "W122"),
    ("gate.now = permits.nothing", "W143"),
    ("gate.now = string.nothing", "W143"),
    ("gate.now = redis.nothing", "W143"),
    ("KEYS = {}", "W121"),
    ("now_us = nil", "W121"),
    ("gate.now = os.time()", "W113"),
    ("print(gate.now)", "W113"),
    ("if gate.now then end", "W542"),
    ("local at = 1 do local at = 2 gate.now = at end gate.now = at", "W421"),
    ("gate.now = 1 -- " + "x" * 120, "W631"),
    ("gate.now = ", "E011"),
]


@needs_luacheck
@pytest.mark.parametrize(("line", "code"), BAD)
def test_every_warning_counts(tmp_path: Path, line: str, code: str) -> None:
    found = faults(lay(tmp_path, take=taking(line)))
    assert any(f"({code})" in fault and "app/lua/take.lua:" in fault for fault in found), found


@needs_luacheck
def test_a_module_may_only_fill_its_own_table(tmp_path: Path) -> None:
    more = "function gate.more()\n  local kept = {}\n  kept.x = 1\nend\n"
    text = taking("gate.more()")
    (fault,) = faults(lay(tmp_path, modules__gate=GATE + more, take=text))
    assert fault.startswith("app/lua/modules/gate.lua:16: (W241)")
    assert fault.endswith("local kept = {}")


def test_luacheck_is_told_what_the_modules_define(tmp_path: Path) -> None:
    assert module_options(lua_form.read_form(lay(tmp_path))) == [
        *(
            "--read-globals",
            "gate.COLUMNS",
            "gate.WAKE_US",
            "gate.close",
            "gate.open",
            "permits.of",
        ),
        *("--globals", "gate.first", "gate.now"),
        *("--ignore", "241/gate", "241/permits"),
    ]


@needs_luacheck
def test_the_prelude_is_clean_but_for_functions_that_scripts_use() -> None:
    assert faults(Folder(PRELUDE.parent, (Source(PRELUDE, "prelude.lua"),))) == []


# -- the step -----------------------------------------------------------------------------------


def step(root: Path) -> int:
    return lua.main(root=root)


@pytest.fixture
def apps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree with one app."""
    monkeypatch.setattr(lua, "LUA_APPS", ("app",))
    lay(tmp_path)
    return tmp_path


@needs_luacheck
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("gate.now = 1234", "bare numbers per 100 lines"),
        ("gate.opne()", "gate.opne is not defined"),
        ("local unused = 1", "(W211)"),
    ],
)
def test_the_step_fails_for_figures_for_the_form_and_for_luacheck(
    apps: Path, line: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert step(apps) == 0
    lay(apps, take=taking(line))
    assert step(apps) == 1
    assert said in capsys.readouterr().out


@pytest.mark.parametrize(("required", "status"), [("", 0), ("1", 1)])
def test_without_luacheck_the_step_says_so(
    apps: Path,
    required: str,
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    absent = needs.Need("luacheck", lambda: False, "apt-get install lua-check")
    monkeypatch.setitem(needs.NEEDS, "luacheck", absent)
    monkeypatch.setenv("REQUIRE_ALL", required)
    assert step(apps) == status
    assert "NOT RUN: needs luacheck (apt-get install lua-check)\n" in capsys.readouterr().out


def test_the_table_is_printed_also_when_nothing_is_wrong(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def says(word: str, status: int) -> list[str | Path]:
        return [sys.executable, "-c", f"print('{word}'); raise SystemExit({status})"]

    steps = {"lua": says("a table", 0), "style": says("quiet", 0), "types": says("a fault", 1)}
    monkeypatch.setattr(check, "STEPS", steps)
    assert check.main() == 1
    printed = capsys.readouterr()
    assert "a table" in printed.out
    assert "a fault" in printed.out
    assert "quiet" not in printed.out
    assert "types failed" in printed.err
