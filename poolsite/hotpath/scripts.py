"""Lua files as values: prelude and body, SHA-1, and the registry of all scripts."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from poolsite.hotpath.errors import ScriptHeaderError
from poolsite.hotpath.header import RUNS, parse_header
from poolsite.hotpath.modules import NO_MODULES, Modules, on_one_line, read_modules

PRELUDE = Path(__file__).parent / "lua" / "prelude.lua"
_FUNCTION = re.compile(r"^local function (\w+)\(.*?^end$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"--.*")
_LONG_COMMENT = re.compile(r"--\[\[.*?\]\]", re.DOTALL)
_PLACEHOLDER = re.compile(r"<(\w+)>")
_WORD = re.compile(r"\w+")
_FORMS = ("IS_FUNCTION", "CALLED_BY_US")  # false in a script
# Redis checks its memory before a script's first write, unless that write is a deletion.
_DELETES_FIRST = "redis.call('HDEL', KEYS[1], '') "
_registry: dict[str, "Script"] = {}
made_of_scripts: dict[str, Any] = {}  # what other modules cache while no script changes


@dataclass(frozen=True, eq=False)
class Script:
    """One atomic operation.

    `keys` are suffixes to the tag, in the order of the header (the first is empty). With
    `more_keys` the last one may be given any number of times, or not at all. `full_server`: which
    part of the operation a server without memory runs (header.py).
    """

    app: str
    name: str
    keys: tuple[str, ...]
    version: int
    body: str
    more_keys: bool = False
    arguments: tuple[str, ...] = ()
    more_arguments: bool = False
    path: Path = Path()
    modules: Modules = NO_MODULES
    direct: bool = False  # other programs call it directly in Redis
    full_server: str = ""

    @cached_property
    def text(self) -> str:
        """The text that Redis runs: the needed part of the prelude, then the body. Built at first
        use.

        It has no line break at the end: a shell's "$(…)" drops it, and the SHA-1 would differ.
        """
        whole = _assemble(self.body, self.version, self.modules, _prelude).rstrip("\n")
        return _DELETES_FIRST + whole if self.full_server == RUNS else whole

    @property
    def named_text(self) -> str:
        """The same text with the modules' own names, for who reads it (rights.py)."""
        code = code_of(self.body)
        needed = self.modules.needed_by([code])
        members = [text for name, text in self.modules.texts if name in needed]
        names = {name: name for name in needed}
        shared = [self.modules.as_fields(text, names) for text in members]
        first = _DELETES_FIRST if self.full_server == RUNS else ""
        body = self.modules.as_fields(self.body, names)
        return "\n".join([first, *prelude_for([code, *shared]), *shared, body])

    @cached_property
    def sha1(self) -> str:
        """The SHA-1 of `text`, under which Redis stores it."""
        return hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest()

    @property
    def title(self) -> str:
        """The name that people use, e.g. "numbers/event"."""
        return f"{self.app}/{self.name}"

    def keys_of(self, tag: str, **names: str) -> tuple[str, ...]:
        """Return every key of the aggregate `tag` (with its braces), in the header's order.

        `names` fill placeholders: "{pool}:near:<region>" takes region="cn". A key that may repeat
        is left out. The caller appends as many as it needs.
        """
        fixed = self.keys[:-1] if self.more_keys else self.keys
        if not names:
            return tuple([tag + suffix for suffix in fixed])
        return tuple([tag + _PLACEHOLDER.sub(lambda m: names[m[1]], suffix) for suffix in fixed])


def load_folder(app: str, folder: Path, *, direct: Iterable[str] = ()) -> dict[str, Script]:
    """Read every `*.lua` of a folder, register the scripts as "app/name" and return them by name.

    direct: the names of the scripts that other programs call directly in Redis.

    The prelude itself is not a script and is left out. Raise ScriptHeaderError with file and line.
    Then nothing is registered.
    """
    paths = [path for path in sorted(folder.glob("*.lua")) if path != PRELUDE]
    modules = read_modules(folder / "modules")
    scripts = {path.stem: read_script(app, path, modules) for path in paths}
    scripts |= {name: replace(scripts[name], direct=True) for name in direct}
    if not scripts:
        raise ScriptHeaderError(f"{folder}: no Lua files")
    _registry.update({script.title: script for script in scripts.values()})
    made_of_scripts.clear()
    return scripts


def registered() -> dict[str, Script]:
    """Return all registered scripts by title, sorted."""
    return dict(sorted(_registry.items()))


def read_script(app: str, path: Path, modules: Modules | None = None) -> Script:
    """Read one Lua file without registering it. Raise ScriptHeaderError.

    modules: those of its folder, if they have been read already.
    """
    body = path.read_text(encoding="utf-8")
    header = parse_header(body, path, f"{app}/{path.stem}")
    return Script(
        app=app,
        name=path.stem,
        keys=tuple(header.keys),
        version=header.version,
        body=body,
        more_keys=header.more_keys,
        arguments=tuple(header.arguments),
        more_arguments=header.more_arguments,
        path=path,
        modules=read_modules(path.parent / "modules") if modules is None else modules,
        full_server=header.full_server,
    )


# -- the prelude ------------------------------------------------------------------------------


Prelude = tuple[tuple[str, str], ...]


def read_prelude(path: Path) -> dict[str, str]:
    """Return a prelude's functions, each as one line of Lua without comments, in file order."""
    return {
        found[1]: on_one_line(found[0])
        for found in _FUNCTION.finditer(path.read_text(encoding="utf-8"))
    }


def prelude_for(codes: Iterable[str], prelude: Prelude | None = None) -> list[str]:
    """Return the prelude's functions that these texts name, directly or through other functions."""
    functions = dict(_prelude if prelude is None else prelude)
    needed: set[str] = set()
    frontier = list(codes)
    while frontier:
        words = set(_WORD.findall(frontier.pop()))
        new = [name for name in functions if name in words and name not in needed]
        needed.update(new)
        frontier.extend(functions[name] for name in new)
    return [text for name, text in functions.items() if name in needed]


@cache
def _assemble(body: str, version: int, modules: Modules, prelude: Prelude) -> str:
    """Put the prelude's and the modules' functions that the body names before its first line."""
    code = code_of(body)
    needed = modules.needed_by([code])
    shared = modules.script_lines(needed)
    before = [f"local VERSION = {version}", *prelude_for([code, *shared], prelude), *shared]
    named = set(_WORD.findall(code))
    before[:0] = [f"local {flag} = false" for flag in _FORMS if flag in named]
    return " ".join([*before, modules.as_fields(body, modules.places(needed))])


def code_of(body: str) -> str:
    """Return a body without its comments."""
    return _COMMENT.sub("", _LONG_COMMENT.sub("", body))


@contextmanager
def preluded_with(path: Path) -> Iterator[None]:
    """For tests only: replace functions of the shipped prelude, which changes every SHA.

    This way no test hook ships: the production text can't be made to read another clock.
    """
    shipped = _prelude
    _assemble_with(tuple({**dict(shipped), **read_prelude(path)}.items()))
    try:
        yield
    finally:
        _assemble_with(shipped)


def _assemble_with(prelude: Prelude) -> None:
    """Use this prelude from now on, and forget texts that were assembled with another."""
    global _prelude
    _prelude = prelude
    forget_assembled()


def forget_assembled() -> None:
    """Assemble every script and library again at its next use."""
    made_of_scripts.clear()
    for script in _registry.values():
        for name in ("text", "sha1"):
            script.__dict__.pop(name, None)


_prelude: Prelude = tuple(read_prelude(PRELUDE).items())
