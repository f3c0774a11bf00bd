"""The rules of the form: each is seen to fail on a small bad example."""

from pathlib import Path

import pytest

from tests.house.lua_form import faults, read_form
from tests.house.lua_sources import Folder, folders_of

GATE = """-- The gate as it is now.
local gate = {}

gate.WAKE_US = 100000
gate.COLUMNS = {
  status = 1,
}

-- Opens it.
function gate.open(at)
  gate.now = at
end

function gate.close() gate.now = nil end
"""
PERMITS = """local permits = {}
function permits.of(holder)
  return gate.now + gate.WAKE_US, holder
end
"""
TAKE = """--[[ app/take
Version: 1
]]
gate.open(ARGV[1])
gate.close()
gate.first, gate.now = 1, 2
return { permits.of(KEYS[1]), gate.first, gate.COLUMNS.status }
"""


def lay(root: Path, **texts: str) -> Folder:
    """Write the good example, with changed or additional files."""
    files = {"modules/gate": GATE, "modules/permits": PERMITS, "take": TAKE}
    files |= {name.replace("__", "/"): text for name, text in texts.items()}
    for name, text in files.items():
        path = root / "app" / "lua" / f"{name}.lua"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folders_of("app", root)[0]


def test_what_is_of_the_form_has_no_fault(tmp_path: Path) -> None:
    folder = lay(tmp_path)
    assert faults(folder) == []
    form = read_form(folder)
    assert form.definitions == {
        "gate.WAKE_US",
        "gate.COLUMNS",
        "gate.open",
        "gate.close",
        "permits.of",
    }
    assert form.fields == {"gate.now", "gate.first"}


# text added to the module gate → fault
OUTSIDE = [
    ("local more = 1\n", "neither"),
    ("gate.open(1)\n", "neither"),
    ("gate.lower = 1\n", "neither"),
    ("permits.MORE = 1\n", "neither"),
    ("gate.A, gate.B = 1, 2\n", "neither"),
    ("gate.MORE = function() end\n", "neither"),
    ("gate.MORE = 1\n  local x = 2\n", "neither"),
    ("gate.MORE = 1\n  x = 2\n", "neither"),
    ("function gate:more() end\n", "neither"),
    ("function gate.more.still() end\n", "neither"),
    ("function permits.more() end\n", "neither"),
    ("function more() end\n", "neither"),
    ("local function more() end\n", "neither"),
    ("  gate.MORE = 1\n", "neither"),
    ("if gate.now then\nend\n", "neither"),
    ("return gate\n", "neither"),
    ("gate.MORE = {\nstatus = 1,\n}\n", "'status' inside of something must be indented"),
    ("function gate.more()\nlocal x = 1\n  return gate.more\nend\n", "'local' inside"),
    (
        "function gate.more()\n  return gate.more\n  end\n",
        "the end of gate.more must be at column 0",
    ),
    ("gate.WAKE_US = 1\n", "gate.WAKE_US is defined twice"),
    ("function gate.open() end\n", "gate.open is defined twice"),
    ("function gate.WAKE_US() end\n", "gate.WAKE_US is defined twice"),
]


@pytest.mark.parametrize(("more", "said"), OUTSIDE)
def test_a_module_holds_its_functions_and_constants_alone(
    tmp_path: Path, more: str, said: str
) -> None:
    found = faults(lay(tmp_path, modules__gate=GATE + more))
    assert any(each.startswith("app/lua/modules/gate.lua:1") and said in each for each in found)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-- nothing\n",
        GATE.replace("local gate = {}", "local gate = { 1 }"),
        GATE.replace("local gate = {}", "local other = {}"),
        GATE.replace("local gate = {}", "gate = {}"),
        "gate.FIRST = 1\n" + GATE,
    ],
)
def test_a_module_is_declared_first(tmp_path: Path, text: str) -> None:
    found = faults(lay(tmp_path, modules__gate=text))
    assert any("the first line of code must be" in each for each in found)


@pytest.mark.parametrize(
    "use", ["gate.opne(1)", "x = gate.later", "gate:nothing()", "gate.deep.er = 1"]
)
def test_what_nothing_defines_or_assigns_is_told(tmp_path: Path, use: str) -> None:
    (fault,) = faults(lay(tmp_path, take=TAKE.replace("return", f"{use}\nreturn")))
    assert fault.startswith("app/lua/take.lua:7: gate.")
    assert fault.endswith("is not defined, and nothing assigns it")


@pytest.mark.parametrize(
    "use",
    [
        "gate.later = 1",
        "gate.first, gate.later = 1, 2",
        "gate.later, gate.first = 1, 2",
        "x[f[1]].y, gate.later = 1, 2",
        "gate.later, x[f[1]].y = 1, 2",
        "f(function() gate.later = 1 end)",
    ],
)
def test_what_is_assigned_in_any_way_is_known(tmp_path: Path, use: str) -> None:
    more = f"{use}\nf(gate.later)\nreturn"
    assert faults(lay(tmp_path, take=TAKE.replace("return", more))) == []


@pytest.mark.parametrize(
    "use",
    ["if gate.later == 1 then end", "x = { gate.later, y = 1 }", "for i = gate.later, 9 do end"],
)
def test_what_only_looks_like_an_assignment_is_none(tmp_path: Path, use: str) -> None:
    (fault,) = faults(lay(tmp_path, take=TAKE.replace("return", f"{use}\nreturn")))
    assert "gate.later is not defined" in fault


@pytest.mark.parametrize("name", ["gate.open", "gate.WAKE_US"])
def test_what_a_module_defines_is_assigned_nowhere_else(tmp_path: Path, name: str) -> None:
    (fault,) = faults(lay(tmp_path, take=TAKE.replace("return", f"{name} = 1\nreturn")))
    assert fault == f"app/lua/take.lua:7: {name} is defined by its module, and assigned here"


@pytest.mark.parametrize("body", ["", "  return gate.more()\n"])
def test_a_function_that_nothing_uses_but_itself_is_told(tmp_path: Path, body: str) -> None:
    folder = lay(tmp_path, modules__gate=f"{GATE}function gate.more()\n{body}end\n")
    assert faults(folder) == ["app/lua/modules/gate.lua:15: nothing uses gate.more"]


def test_names_that_only_look_like_a_module_are_no_uses(tmp_path: Path) -> None:
    looks = "local x = y.gate.some, 'gate.other', { gate = 1 } -- gate.more\nreturn"
    assert faults(lay(tmp_path, take=TAKE.replace("return", looks))) == []


@pytest.mark.parametrize("text", ["'a--b'", '"a  b"', "'a \tb'", "[[a\nb]]"])
@pytest.mark.parametrize("file", ["take", "modules__permits"])
def test_strings_that_the_loader_would_change_are_told(
    tmp_path: Path, text: str, file: str
) -> None:
    good = {"take": TAKE, "modules__permits": PERMITS}[file]
    place = file.replace("__", "/")
    (fault,) = faults(lay(tmp_path, **{file: good.replace("return", f"f({text})\n  return")}))
    assert fault.startswith(f"app/lua/{place}.lua:")
    assert "the loader would change it" in fault


@pytest.mark.parametrize("text", ["x = 'open", "f(", "if x then"])
def test_a_file_that_is_no_lua_is_told(tmp_path: Path, text: str) -> None:
    (fault,) = faults(lay(tmp_path, take=text))
    assert fault.startswith("app/lua/take.lua: ")
