"""Modules: what a file may contain, and what its names become in an operation."""

from collections.abc import Callable
from pathlib import Path

import pytest

from poolsite import hotpath
from poolsite.hotpath import Script
from poolsite.hotpath.modules import Modules, read_modules
from poolsite.hotpath.scripts import read_script
from poolsite.runtime.redis_server import RedisServer

HEADER = """--[[ shop/{name}
Purpose: for tests.
KEYS[1] {{shop}}          HASH    settings
Reply: [words]
Errors: none
Complexity: O(1)
Version: 1
]]
"""
DOOR = """-- A module: its comments go.
local door = {}

door.LIMIT = 3
door.NAME = 'a name'
door.WORDS = { a = 'one', b = 'two' } -- a table is a constant as well
door.least = -1.5

-- Opens it.
function door.open(word)
  door.now = word -- state
  return door.text(door.LIMIT)
end

function door.text(n)
  return '' .. n
end

function door.never()
  return bell.ring()
end
"""
BELL = "local bell = {}\n\nfunction bell.ring()\n  return door.now\nend\n"

Write = Callable[..., Modules]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A function that writes a folder of modules, and reads it."""

    def write(**texts: str) -> Modules:
        folder = tmp_path / "modules"
        folder.mkdir(exist_ok=True)
        for name, text in texts.items():
            (folder / f"{name}.lua").write_text(text)
        return read_modules(folder)

    return write


def operation(folder: Path, body: str, name: str = "sell") -> Script:
    path = folder / f"{name}.lua"
    path.write_text(HEADER.format(name=name) + body)
    return read_script("shop", path)


def before(script: Script) -> str:
    """Return what precedes an operation's own text."""
    return script.text.partition("--[[")[0]


# -- what a file may hold ------------------------------------------------------------------------

WRONG = [
    ("local door = {}\n", "local gate = {}\n", 2, "expected 'local door = {}'"),
    ("local door = {}\n", "local door = { 1 }\n", 2, "expected 'local door = {}'"),
    ("local door = {}\n", "", 3, "expected 'local door = {}'"),
    ("local door = {}\n", "local door = {}\nlocal door = {}\n", 3, "not a function or constant"),
    ("local door = {}\n", "local door = {}\n  return 1\n", 3, "this belongs to no function"),
    ("local door = {}\n", "local door = {}\nend\n", 3, "this belongs to no function"),
    ("door.LIMIT = 3", "LIMIT = 3", 4, "not a function or constant of door"),
    ("door.LIMIT = 3", "bell.LIMIT = 3", 4, "not a function or constant of door"),
    ("door.LIMIT = 3", "local limit = 3", 4, "not a function or constant of door"),
    ("door.NAME", "door.LIMIT", 5, "door.LIMIT is defined twice"),
    ("function door.text", "function door.open", 15, "door.open is defined twice"),
    ("function door.text", "function bell.text", 15, "not a function or constant of door"),
    ("function door.text", "local function text", 15, "not a function or constant of door"),
    ("function door.never()", "return door\nfunction door.never()", 19, "not a function or"),
]


@pytest.mark.parametrize(("old", "new", "line", "reason"), WRONG)
def test_what_a_module_may_not_hold_is_named_with_file_and_line(
    write: Write, tmp_path: Path, old: str, new: str, line: int, reason: str
) -> None:
    assert old in DOOR
    with pytest.raises(hotpath.ScriptHeaderError) as raised:
        write(door=DOOR.replace(old, new, 1))
    assert str(raised.value).startswith(f"{tmp_path}/modules/door.lua:{line}: ")
    assert reason in str(raised.value)


def test_a_module_that_is_wrong_keeps_the_whole_folder_out(write: Write, tmp_path: Path) -> None:
    operation(tmp_path, "return { door.text(1) }\n")
    with pytest.raises(hotpath.ScriptHeaderError):
        write(door=DOOR, bell="local bell = {}\nbell.LOUD = 1\nbell.LOUD = 2\n")
    with pytest.raises(hotpath.ScriptHeaderError, match=r"bell\.lua:3: bell.LOUD is defined twice"):
        hotpath.load_folder("shop", tmp_path)
    assert not [title for title in hotpath.registered() if title.startswith("shop/")]


def test_a_folder_that_is_not_there_holds_none(tmp_path: Path) -> None:
    assert read_modules(tmp_path / "none") == Modules()


def test_members_are_one_line_each_without_comments(write: Write) -> None:
    members = write(door=DOOR).members
    assert [*members] == [f"door.{name}" for name in ("LIMIT", "NAME", "WORDS", "least")] + [
        f"door.{name}" for name in ("open", "text", "never")
    ]
    assert members["door.WORDS"] == "door.WORDS = { a = 'one', b = 'two' }"
    assert members["door.text"] == "function door.text(n) return '' .. n end"


# -- names ---------------------------------------------------------------------------------------


def test_names_become_locals_and_constants_their_values(write: Write) -> None:
    modules = write(door=DOOR, bell=BELL)
    assert modules.literals == {"door.LIMIT": "3", "door.NAME": "'a name'"}
    code = "door.open(door.LIMIT, door.NAME, door.least, door.WORDS.a, door.now)"
    changed = "door_open(3, 'a name', door_least, door_WORDS.a, door_now)"
    assert modules.as_locals(code) == changed


def test_a_text_that_is_not_plain_stays_a_variable(write: Write) -> None:
    modules = write(door="local door = {}\ndoor.QUOTED = 'it\\'s'\ndoor.SUM = 1 + 2\n")
    assert modules.literals == {}
    assert modules.as_locals("door.QUOTED .. door.SUM") == "door_QUOTED .. door_SUM"


def test_functions_that_are_called_most_become_locals_in_a_library_alone(write: Write) -> None:
    code = "redis.call('TIME', 'redis.call', string.sub(door.now, 1))"
    modules = write(door=DOOR)
    assert modules.as_locals(code) == "redis_call('TIME', 'redis.call', string_sub(door_now, 1))"
    places = modules.places(["door.now"])
    assert modules.as_fields(code, places) == code.replace("door.now", "T[1]")


@pytest.mark.parametrize(
    "code",
    [
        "'door.now'",
        '"door.now and door.LIMIT"',
        r"'it\'s door.now'",
        "-- door.now",
        "--[[ door.now\n door.LIMIT ]]",
        "my.door.now",
        "my:door.now()",
        "indoor.now",
        "redis.pcall",
        "door['now']",
        "door",
    ],
)
def test_what_is_no_name_of_a_module_is_left_alone(write: Write, code: str) -> None:
    modules = write(door=DOOR)
    assert modules.as_locals(code) == code
    assert modules.names_in(code) == set()
    after = f"{code}\nreturn door.now"
    assert modules.as_locals(after) == f"{code}\nreturn door_now"


# -- what is put before an operation -------------------------------------------------------------


def test_only_what_is_needed_is_put_before_an_operation(write: Write, tmp_path: Path) -> None:
    write(door=DOOR, bell=BELL)
    opens = before(operation(tmp_path, "return { door.open('x') }\n"))
    assert opens == (
        "local VERSION = 1 local T T = { function(word) T[3] = word return T[2](3) end,"
        " function(n) return '' .. n end, nil } "
    )
    rings = before(operation(tmp_path, "return { door.never() }\n"))
    assert rings == (
        "local VERSION = 1 local T T = { function() return T[3] end,"
        " function() return T[1]() end, nil } "
    )


def test_an_operation_without_modules_is_as_it_was(write: Write, tmp_path: Path) -> None:
    write(door=DOOR)
    script = operation(tmp_path, "-- door.open\nreturn { 'door.open' }\n")
    assert before(script) == "local VERSION = 1 "
    assert script.text.endswith(script.body.rstrip("\n"))


def test_the_lines_of_an_operation_stay_where_they_are(write: Write, tmp_path: Path) -> None:
    write(door=DOOR)
    script = operation(tmp_path, "local a = 1\n\nreturn { door.open(a) }\n")
    assert script.text.count("\n") == script.body.rstrip("\n").count("\n")
    assert script.text.splitlines()[-1] == "return { T[1](a) }"


RARE_BELL = BELL.replace("local bell", "-- Rarely needed.\nlocal bell")


def test_a_script_makes_what_is_rarely_needed_when_it_is_called(
    write: Write, tmp_path: Path
) -> None:
    write(door=DOOR, bell=RARE_BELL)
    rings = before(operation(tmp_path, "return { door.never() }\n"))
    assert "made = { function() return T[2] end }" in rings
    assert "T = { function() return rare()[1]() end, nil }" in rings


def test_a_library_has_what_is_rarely_needed_in_a_table(write: Write) -> None:
    modules = write(door=DOOR, bell=RARE_BELL)
    lines = modules.library_lines(modules.needed_by(["door.never()"]))
    assert lines[0].startswith("local ")
    assert "bell" not in lines[0]
    assert lines[1] == "local rare = {}"
    assert "function rare.bell_ring() return door_now end" in lines


@pytest.mark.parametrize("bell", [BELL, RARE_BELL])
def test_redis_runs_what_the_modules_say(
    write: Write, tmp_path: Path, clean_redis: RedisServer, bell: str
) -> None:
    write(door=DOOR, bell=bell)
    body = "local said = door.open('x')\nreturn { said, door.never(), door.WORDS.b, door.NAME }\n"
    script = operation(tmp_path, body)
    with clean_redis.client() as client:
        assert client.eval(script.text, 1, "{shop}") == ["3", "x", "two", "a name"]
