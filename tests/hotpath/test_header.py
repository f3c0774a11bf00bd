"""The header of a Lua file is parsed strictly. An error names the file and the line."""

from pathlib import Path

import pytest

from poolsite import hotpath
from poolsite.hotpath.header import Header, parse_header
from poolsite.hotpath.scripts import read_script

GOOD = """--[[ numbers/event
Purpose: one event of the pool,
  told in two lines.
KEYS[1] {pool}                HASH    settings
KEYS[2] {pool}:numstate       HASH    number → JSON
KEYS[3+] {pool}:near:<region> ZSET    numbers of a region
ARGV[1] event                 one of add del
ARGV[2+] option               name and value
Reply: [outcome]
Errors: -1 "malformed"
Complexity: O(log n)
Version: 3
]]
return {}
"""


def parse(text: str) -> object:
    return parse_header(text, Path("lua/event.lua"), "numbers/event")


def test_a_header_tells_keys_arguments_and_version() -> None:
    header = parse_header(GOOD, Path("lua/event.lua"), "numbers/event")
    assert header.keys == ["", ":numstate", ":near:<region>"]
    assert header.more_keys
    assert header.arguments == ["event", "option"]
    assert header.more_arguments
    assert header.version == 3
    assert header.labels["Purpose"] == "one event of the pool,"


def test_a_header_tells_what_a_full_server_runs() -> None:
    path = Path("lua/event.lua")
    assert parse_header(GOOD, path, "numbers/event").full_server == ""
    runs = GOOD.replace("Version", "Full server: runs\nVersion")
    assert parse_header(runs, path, "numbers/event").full_server == "runs"


WRONG = [
    ("Version: 3", "Full server: maybe\nVersion: 3", 12, "'Full server' is 'runs' or"),
    ("--[[ numbers/event", "--[[ numbers/other", 1, "first line must be '--[[ numbers/event'"),
    ("--[[ numbers/event\n", "", 1, "first line must be"),
    ("]]\nreturn {}\n", "", 12, "not closed"),
    ("Reply: [outcome]\n", "", 12, "missing: Reply"),
    ("Version: 3", "Version: 3.1", 12, "whole number"),
    ("Version: 3", "Version: 0", 12, "whole number"),
    ("Version: 3", "Version: ３", 12, "whole number"),
    ('Errors: -1 "malformed"', "Errors:", 10, "empty"),
    ('Errors: -1 "malformed"', "Error: -1", 10, "unknown label 'Error'"),
    ("Complexity: O(log n)", "Reply: again", 11, "twice"),
    ("  told in two lines.", "told in two lines.", 3, "indent"),
    ("KEYS[1] {pool}  ", "KEYS[1] pool  ", 4, "the tag itself"),
    ("KEYS[1] {pool}  ", "KEYS[1] {pool}:x  ", 4, "the tag itself"),
    ("KEYS[2] {pool}:", "KEYS[2] {other}:", 5, "must start with '{pool}:'"),
    ("KEYS[2] {pool}:", "KEYS[4] {pool}:", 5, "expected KEYS[2], found KEYS[4]"),
    ("HASH    number", "TABLE   number", 5, "needs a type"),
    ("KEYS[2] {pool}:numstate ", "KEYS[2+] {pool}:numstate", 6, "nothing may follow"),
    ("ARGV[1]", "ARGV[0]", 7, "expected ARGV[1], found ARGV[0]"),
]


@pytest.mark.parametrize(("old", "new", "line", "reason"), WRONG)
def test_what_is_wrong_is_named_with_file_and_line(
    old: str, new: str, line: int, reason: str
) -> None:
    assert old in GOOD
    with pytest.raises(hotpath.ScriptHeaderError) as raised:
        parse(GOOD.replace(old, new, 1))
    assert str(raised.value).startswith(f"lua/event.lua:{line}: ")
    assert reason in str(raised.value)


def test_a_file_without_keys_is_refused() -> None:
    lines = [line for line in GOOD.splitlines() if not line.startswith("KEYS")]
    with pytest.raises(hotpath.ScriptHeaderError, match=r"missing: KEYS\[1\]"):
        parse("\n".join(lines))


def test_an_empty_file_is_refused() -> None:
    with pytest.raises(hotpath.ScriptHeaderError, match=r"event\.lua:1: "):
        parse("")


def test_one_bad_file_registers_nothing_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "good.lua").write_text(GOOD.replace("numbers/event", "broken/good"))
    (tmp_path / "worse.lua").write_text("return 1")
    with pytest.raises(hotpath.ScriptHeaderError, match=r"worse\.lua:1: "):
        hotpath.load_folder("broken", tmp_path)
    assert not [title for title in hotpath.registered() if title.startswith("broken/")]


def test_a_folder_without_scripts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(hotpath.ScriptHeaderError, match="no Lua files"):
        hotpath.load_folder("empty", tmp_path)


# -- the keys of another operation ---------------------------------------------------------------


SAME = """--[[ numbers/other
Purpose: another one of the same aggregate.
KEYS as numbers/event
ARGV[1] word                  a word
Reply: [outcome]
Errors: none
Complexity: O(1)
Version: 3
]]
"""


def parse_beside(folder: Path, text: str) -> Header:
    """Parse other.lua, with event.lua in the same folder."""
    (folder / "event.lua").write_text(GOOD)
    path = folder / "other.lua"
    path.write_text(text)
    return parse_header(text, path, "numbers/other")


def test_keys_are_taken_over_from_another_operation(tmp_path: Path) -> None:
    header = parse_beside(tmp_path, SAME)
    assert (header.keys, header.more_keys) == (["", ":numstate", ":near:<region>"], True)
    assert (header.arguments, header.more_arguments) == (["word"], False)


BESIDE = "KEYS as numbers/event"
NOT_TAKEN = [
    (BESIDE, "KEYS as numbers/none", 3, "cannot be the keys of numbers/none"),
    (BESIDE, "KEYS as numbers/other", 3, "cannot be the keys of numbers/other"),
    (BESIDE, "KEYS as event", 3, "not understood"),
    (BESIDE, "KEYS as ../numbers/event", 3, "not understood"),
    (BESIDE, f"KEYS[1] {{pool}} HASH x\n{BESIDE}", 4, "cannot be the keys of numbers/event"),
    (BESIDE, f"{BESIDE}\n{BESIDE}", 4, "cannot be the keys of numbers/event"),
    (BESIDE, f"{BESIDE}\nKEYS[1] {{pool}} HASH x", 4, "nothing may follow the KEYS line"),
]


@pytest.mark.parametrize(("old", "new", "line", "reason"), NOT_TAKEN)
def test_keys_that_cannot_be_taken_over_are_named_with_file_and_line(
    tmp_path: Path, old: str, new: str, line: int, reason: str
) -> None:
    with pytest.raises(hotpath.ScriptHeaderError) as raised:
        parse_beside(tmp_path, SAME.replace(old, new, 1))
    assert str(raised.value).startswith(f"{tmp_path}/other.lua:{line}: ")
    assert reason in str(raised.value)


def test_a_fault_in_the_other_operation_names_its_own_file(tmp_path: Path) -> None:
    parse_beside(tmp_path, SAME)
    (tmp_path / "event.lua").write_text(GOOD.replace("KEYS[2]", "KEYS[4]"))
    with pytest.raises(hotpath.ScriptHeaderError, match=r"event\.lua:5: expected KEYS\[2\]"):
        parse_header(SAME, tmp_path / "other.lua", "numbers/other")


@pytest.mark.parametrize("first", ["a", "b"])
def test_two_operations_that_name_each_other_are_refused(tmp_path: Path, first: str) -> None:
    for name, other in (("a", "b"), ("b", "a")):
        text = SAME.replace("numbers/other", f"numbers/{name}")
        text = text.replace("numbers/event", f"numbers/{other}")
        (tmp_path / f"{name}.lua").write_text(text)
    with pytest.raises(hotpath.ScriptHeaderError, match="cannot be the keys of"):
        read_script("numbers", tmp_path / f"{first}.lua")
