"""The tokenizer, the figures of Lua and their limits: each is seen to fail."""

from pathlib import Path

import pytest

from tests.house import lua_figures
from tests.house.lua_figures import Figures, bare_numbers, code_lines, faults, literal_subs
from tests.house.lua_sources import LUA_APPS, Source, folders_of, sources_of
from tests.house.lua_tokens import LuaSyntaxError, Token, enclosing, tokens
from tests.house.source import ROOT

FINE = Figures(files=3, lines=100, sub=1.0, numbers=2.0, short=12.0, longest=200)


def code(text: str) -> list[Token]:
    return [token for token in tokens(text) if token.kind != "comment"]


def words(text: str) -> list[tuple[str, str]]:
    return [(token.kind, token.text) for token in tokens(text)]


# -- tokens -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("'it\\'s -- no comment'", "string"),
        ('"a\\\nb"', "string"),
        ("[[two\nlines]]", "string"),
        ("[==[ ]] ]=] ]==]", "string"),
        ("-- to the end 12 'x", "comment"),
        ("--[[ a header\n12 ]]", "comment"),
        ("--[=[ ]] ]=]", "comment"),
        ("--[ no bracket", "comment"),
        ("0x1F", "number"),
        ("1.5e-15", "number"),
        (".5", "number"),
        ("_kept_2", "name"),
        ("elseif", "keyword"),
        ("...", "sign"),
        ("~=", "sign"),
    ],
)
def test_a_token_is_read_whole(text: str, kind: str) -> None:
    assert words(text) == [(kind, text)]
    assert words(f"x {text}\n;")[1:] == [(kind, text), ("sign", ";")]


def test_signs_stand_apart_and_lines_are_counted() -> None:
    assert [text for _, text in words("a[b]==-#c..d- -1")] == (
        ["a", "[", "b", "]", "==", "-", "#", "c", "..", "d", "-", "-", "1"]
    )
    last = list(tokens("--[[\n]]\n  x = [[\n]] y"))[-1]
    assert (last.text, last.line, last.column) == ("y", 4, 3)


@pytest.mark.parametrize(
    "text", ["'open", '"open\n"', "[[open", "--[[ open", "12ab", "a ! b", "a€"]
)
def test_what_is_no_lua_is_told_with_its_line(text: str) -> None:
    with pytest.raises(LuaSyntaxError, match="line 2"):
        list(tokens(f"local a\n{text}"))


def test_each_token_knows_what_encloses_it() -> None:
    text = "function f(x) if x then return { x } end end repeat y() until z"
    around = dict(zip([token.text for token in code(text)], enclosing(code(text)), strict=True))
    assert (around["f"], around["return"], around["{"], around["y"]) == (
        ("function", "if", "if", "repeat")
    )
    assert around["function"] == around["until"] == around["z"] == ""
    assert enclosing(code("f({ x })"))[3] == "{"


@pytest.mark.parametrize("text", ["f(", "if x then", "f)", "do )", "end"])
def test_what_is_not_closed_is_told(text: str) -> None:
    with pytest.raises(LuaSyntaxError):
        enclosing(code(text))


def test_every_lua_file_of_the_apps_is_understood() -> None:
    for app in LUA_APPS:
        sources = sources_of(folders_of(app, ROOT))
        assert sources
        for source in sources:
            assert "".join(source.text.split()) == "".join(
                "".join(token.text.split()) for token in source.tokens
            )


# -- figures ----------------------------------------------------------------------------------


def test_lines_with_code_are_counted() -> None:
    assert code_lines(code("--[[ a\nb ]]\n\nx = 1 -- c\n-- d\ny = [[\n\n]]")) == 4


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("sub(s, 2)", 1),
        ("string.sub(s, i, -1)", 1),
        ("s:sub(3)", 1),
        ("sub(sub(s, 2), i)", 1),
        ("sub(sub(s, 2), 17)", 2),
        ("sub(s, i)", 0),
        ("sub(s, i + 1)", 0),
        ("sub(f(s, 2), i)", 0),
        ("gsub(s, 2)", 0),
        ("local function sub(s) return s end", 0),
        ("x = 'sub(s, 2)' -- sub(s, 2)", 0),
        ("local sub = string.sub", 0),
    ],
)
def test_cutting_by_position_is_counted(text: str, count: int) -> None:
    assert literal_subs(code(text)) == count


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("x = 9", []),
        ("x = y + 10", ["10"]),
        ("x = '10' -- 10", []),
        ("x = 1e15 + 0x1", ["1e15", "0x1"]),
        ("local KEPT_US = 3600000000", []),
        ("gate.WAKE_US = 100000", []),
        ("local DAY_US = 24 * HOUR_US", []),
        ("  local KEPT_US = 3600", []),
        ("  gate.WAKE_US = 3600", ["3600"]),
        ("local kept_us = 3600", ["3600"]),
        ("gate.wake_us = 100", ["100"]),
        ("local KEPT_US = now + 3600", ["3600"]),
        ("if gate.WAKE_US == 100 then end", ["100"]),
    ],
)
def test_numbers_without_a_name_are_counted(text: str, bare: list[str]) -> None:
    assert [token.text for token in bare_numbers(code(text))] == bare


def test_an_app_is_measured_over_all_its_files(tmp_path: Path) -> None:
    lua = tmp_path / "app" / "lua"
    (lua / "modules").mkdir(parents=True)
    (lua / "take.lua").write_text("--[[ app/take\n10 ]]\nlocal st = sub(rest, 2)\n\n\nreturn 10\n")
    (lua / "modules" / "cut.lua").write_text("st = rest\n")
    figures = lua_figures.measure(sources_of(folders_of("app", tmp_path)))
    # names: st, sub, rest; st, rest
    assert figures == Figures(2, 3, 33.4, 33.4, 40.0, 6)


def test_the_table_ends_with_what_to_compare_with() -> None:
    title, row, last = lua_figures.table({"queueing/line": FINE})
    assert title.split()[:3] == ["app", "files", "lines"]
    assert row.split() == ["queueing/line", "3", "100", "1.0", "2.0", "12.0", "%", "200"]
    assert last.split() == ["BullMQ", "0.3", "1.2", "13", "%"]


# -- marks -----------------------------------------------------------------------------------


WORSE = [("sub", 1.1), ("numbers", 2.1), ("short", 12.1), ("longest", 201)]


def changed(**values: float) -> Figures:
    return Figures(**{**vars(FINE), **values})


@pytest.mark.parametrize(("name", "value"), WORSE)
def test_an_app_meets_every_mark(name: str, value: float) -> None:
    assert faults("app", FINE) == []
    (fault,) = faults("app", changed(**{name: value}))
    assert f"app: {value} " in fault
    assert lua_figures.ADVICE[name] in fault


def test_what_kind_a_file_is_of_says_its_folder() -> None:
    kinds = {
        Source(path, path.name).kind for path in (Path("a/lua/b.lua"), Path("a/lua/modules/b.lua"))
    }
    assert kinds == {"operation", "module"}
