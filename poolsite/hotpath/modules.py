"""Lua modules: functions, constants and state that the operations of one app share.

A module is a file `lua/modules/<name>.lua`. Its first line of code is `local <name> = {}`. After
that it contains only `function <name>.verb(…) … end` and `<name>.CONSTANT = …`, each from the first
column. Operations and modules name what they use (`permits.of(holder)`, `gate.now`) without any
`require`.

In Redis these tables don't exist. A constant that is a number or a string is replaced by its value,
and

- in a library (library.py), which is created once, `gate.now` becomes the local variable
  `gate_now`, because Lua 5.1 pays for each field that is read or set, and `redis.call` becomes
  `redis_call`, as do the functions of Lua that are called most (DIRECT);
- in a script (scripts.py), which is created at every call, state and functions are elements of one
  table, because a function pays for each variable that it takes from outside, and Lua makes and
  reads elements faster than fields.

A module with the line `-- Rarely needed.` costs a script nothing until one of its functions is
called, and it does not count towards the 200 local variables that Lua allows a library.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from poolsite.hotpath.errors import ScriptHeaderError

_DECLARED = re.compile(r"local (\w+) = \{\}$")
_MEMBER = re.compile(r"(?:function )?(\w+)\.(\w+)(?:\(| =)")
_FUNCTION = re.compile(r"function (\w+)\.(\w+)")
_RARE = "-- Rarely needed."
DIRECT = frozenset(
    (
        *("redis.call", "string.find", "string.format", "string.match", "string.sub"),
        "struct.unpack",
    )
)
_CLOSING = re.compile(r"(end|\}|\))\s*$")
_COMMENT = re.compile(r"--.*")
_LITERAL = re.compile(r"\w+\.[A-Z][A-Z_]* = (-?[\d.]+|'[^']*')")
_TEXT_OR_NAME = re.compile(
    r"--\[\[.*?\]\]|--[^\n]*|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|(?<![\w.:])(\w+)\.(\w+)",
    re.DOTALL,
)


def on_one_line(text: str) -> str:
    """Return Lua without comments and line breaks. No string may contain two dashes or spaces."""
    return " ".join(_COMMENT.sub("", text).split())


@dataclass(frozen=True)
class Modules:
    """All modules of one app: the names of the files, and each member with its text."""

    names: tuple[str, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()  # ("module.member", its Lua on one line)
    rare: frozenset[str] = frozenset()  # the modules that are rarely needed

    @cached_property
    def members(self) -> dict[str, str]:
        return dict(self.texts)

    @cached_property
    def literals(self) -> dict[str, str]:
        """Constants that are a number or a string, with their values."""
        found = {name: _LITERAL.fullmatch(text) for name, text in self.texts}
        return {name: match[1] for name, match in found.items() if match is not None}

    def names_in(self, code: str) -> set[str]:
        """Return every "module.name" of a text: members, and the state of modules."""
        found = (f"{m[1]}.{m[2]}" for m in _TEXT_OR_NAME.finditer(code) if m[1] in self.names)
        return set(found)

    def needed_by(self, codes: Iterable[str]) -> list[str]:
        """Return the names that the texts use, directly or through members: first the members in
        the order of their files, then state.
        """
        needed: set[str] = set()
        frontier = list(codes)
        while frontier:
            new = self.names_in(frontier.pop()) - needed
            needed |= new
            frontier.extend(self.members[name] for name in new if name in self.members)
        state = sorted(name for name in needed if name not in self.members)
        return [*(name for name in self.members if name in needed), *state]

    def library_lines(self, needed: Iterable[str]) -> list[str]:
        """Return the lines of Lua that declare these names and define the members."""
        names = [name for name in needed if name not in self.literals]
        if not names:
            return []
        defined = [self.members[name] for name in names if name in self.members]
        # Lua searches the variables that a function uses from the last declared one on.
        uses = Counter(name for text in defined for name in self.names_in(text))
        variables = [name for name in names if not self.is_rare(name)]
        variables.sort(key=lambda name: uses[name])
        declared = [as_local(name) for name in variables]
        if len(variables) < len(names):
            declared.append("rare = {}")
        # Constants first: they are values, while no function runs before all are defined.
        defined.sort(key=lambda text: text.startswith("function "))
        return [*_declarations(declared), *(self.as_locals(text) for text in defined)]

    def script_lines(self, needed: list[str]) -> list[str]:
        """Return the lines for a script: `T` holds functions, constants and state."""
        members = [name for name in needed if name in self.members and name not in self.literals]
        rare = [name for name in members if self.is_rare(name)]
        usual = [name for name in members if not self.is_rare(name)]
        state = [name for name in needed if name not in self.members]
        if not members and not state:
            return []
        places = self.places(needed)
        lines = ["local T"]
        if rare:
            made = ", ".join(self._entries(rare, places))
            lines.append("local made")
            lines.append(
                f"local function rare() if not made then made = {{ {made} }} end return made end"
            )
        entries = [*self._entries(usual, places), *(["nil"] * len(state))]
        return [*lines, f"T = {{ {', '.join(entries)} }}"]

    def places(self, needed: Iterable[str]) -> dict[str, str]:
        """Return where a script has each of the names that it needs, e.g. "T[3]".

        The table's functions come before the state, which is nil at first.
        """
        found: dict[str, str] = {}
        counts: Counter[str] = Counter()
        for name in needed:
            if name not in self.literals:
                table = "rare()" if self.is_rare(name) else "T"
                counts[table] += 1
                found[name] = f"{table}[{counts[table]}]"
        return found

    def is_rare(self, name: str) -> bool:
        """Return whether a name is a member of a module that is rarely needed. State never is."""
        return name in self.members and name.partition(".")[0] in self.rare

    def as_locals(self, code: str) -> str:
        """Return a library's text: `module.name` becomes a local variable or a constant's value.

        So do the names in DIRECT, which library.py binds.
        """
        return self._named(code, self._local, DIRECT)

    def as_fields(self, code: str, places: dict[str, str]) -> str:
        """Return a script's text: `module.name` becomes its place, or a constant's value."""
        return self._named(code, places.__getitem__)

    def _named(
        self, code: str, called: Callable[[str], str], direct: frozenset[str] = frozenset()
    ) -> str:
        def replaced(found: re.Match[str]) -> str:
            if found[0] in direct:
                return as_local(found[0])
            if found[1] not in self.names:
                return found[0]
            name = f"{found[1]}.{found[2]}"
            return self.literals.get(name) or called(name)

        return _TEXT_OR_NAME.sub(replaced, code)

    def _local(self, name: str) -> str:
        return ("rare." if self.is_rare(name) else "") + as_local(name)

    def _entries(self, members: list[str], places: dict[str, str]) -> list[str]:
        """Return members as the entries of a table: `function(tag) … end, 'a constant'`."""
        texts = [_FUNCTION.sub("function", self.members[name], count=1) for name in members]
        values = [t if t.startswith("function") else t.partition(" = ")[2] for t in texts]
        return [self.as_fields(value, places) for value in values]


def as_local(name: str) -> str:
    """Return the local variable for `module.name`."""
    return name.replace(".", "_")


def _declarations(names: list[str]) -> list[str]:
    """Return `local a, b`, and a line for each name that has a value of its own."""
    plain = [name for name in names if "=" not in name]
    valued = [f"local {name}" for name in names if "=" in name]
    return [*([f"local {', '.join(plain)}"] if plain else []), *valued]


NO_MODULES = Modules()


def read_modules(folder: Path) -> Modules:
    """Read every module of a folder. Return no modules if the folder does not exist.

    Raise ScriptHeaderError with file and line for anything that a module may not contain.
    """
    names: list[str] = []
    texts: list[tuple[str, str]] = []
    rare: set[str] = set()
    for path in sorted(folder.glob("*.lua")):
        names.append(path.stem)
        texts += _members_of(path)
        if _RARE in path.read_text(encoding="utf-8").splitlines():
            rare.add(path.stem)
    return Modules(tuple(names), tuple(texts), frozenset(rare))


def _members_of(path: Path) -> list[tuple[str, str]]:
    lines: dict[str, list[str]] = {}
    current, declared = "", False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip() or line.startswith("--"):
            continue
        if line[0] == " " or _CLOSING.match(line):
            if not current:
                raise ScriptHeaderError(f"{path}:{number}: this belongs to no function")
            lines[current].append(line)
            continue
        if not declared:
            found = _DECLARED.match(line)
            if found is None or found[1] != path.stem:
                raise ScriptHeaderError(f"{path}:{number}: expected 'local {path.stem} = {{}}'")
            declared = True
            continue
        found = _MEMBER.match(line)
        if found is None or found[1] != path.stem:
            raise ScriptHeaderError(f"{path}:{number}: not a function or constant of {path.stem}")
        current = f"{found[1]}.{found[2]}"
        if current in lines:
            raise ScriptHeaderError(f"{path}:{number}: {current} is defined twice")
        lines[current] = [line]
    return [(name, on_one_line("\n".join(its))) for name, its in lines.items()]
