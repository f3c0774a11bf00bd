"""luacheck over the Lua of all apps: everything it knows over the new form, bugs over the old."""

import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from poolsite.hotpath.scripts import read_script
from tests.house.lua_form import Form, read_form
from tests.house.lua_sources import Folder, Source
from tests.house.source import ROOT

LUACHECK = ["luacheck", "--config", str(ROOT / ".luacheckrc"), "--no-cache", "--no-color"]
LUACHECK += ["--codes", "--formatter", "plain"]
FOUND_FAULTS = (1, 2)  # its exit status for warnings and for errors; a larger one: it did not run
# What the old form must be free of. Pasted text leaves names unused and hides others.
BUGS = (
    *("11", "12", "14"),  # globals and their fields that nobody defines, or that nobody may set
    *("22", "32"),  # variables that are read and never set
    "314",  # a field that one table gives twice
    "511",  # code that nothing reaches
    "53",  # assignments with too few or too many values
)
_FOUND = re.compile(r"(?P<path>.+?):(?P<line>\d+):\d+: (?P<said>\([EW]\d+\) .*)")


def faults(folder: Folder) -> list[str]:
    """Return what luacheck finds in a folder, whichever form it has."""
    prelude = _lint(folder.of_kind("prelude"), [])
    return prelude + (lint_new(folder) if folder.is_new_form else lint_old(folder))


def lint_new(folder: Folder) -> list[str]:
    """Check operations and modules as they stand: no warning is allowed."""
    options = module_options(read_form(folder))
    return _lint(folder.of_kind("operation", "module"), options)


def module_options(form: Form) -> list[str]:
    """Return what luacheck has to know of a folder's modules.

    What a module defines may be read, what operations and modules assign may be set too. In its
    own file a module is a local table that may be only filled (241): others read it.
    """
    options = [("--read-globals", sorted(form.definitions)), ("--globals", sorted(form.fields))]
    options.append(("--ignore", [f"241/{name}" for name in form.modules]))
    return [word for option, names in options if names for word in (option, *names)]


def lint_old(folder: Folder) -> list[str]:
    """Check operations with what they paste; the lines are those of the pasted text."""
    with tempfile.TemporaryDirectory() as target:
        pasted = [_pasted(source, Path(target)) for source in folder.of_kind("operation")]
        return _lint(pasted, ["--only", *BUGS])


def _pasted(source: Source, target: Path) -> Source:
    title = source.text.split(maxsplit=2)[1]
    script = read_script(title.partition("/")[0], source.path)
    path = target / f"{source.name}.lua"
    path.write_text(script.body, encoding="utf-8")
    return Source(path, f"{source.place} with what it pastes")


def _lint(sources: Sequence[Source], options: Sequence[str]) -> list[str]:
    """Return each fault with the line that has it."""
    by_path = {str(source.path): source for source in sources}
    return [
        f"{source.place}:{found['line']}: {found['said']}: {_line(source, int(found['line']))}"
        for found in _run(list(by_path), options)
        for source in [by_path[found["path"]]]
    ]


def _line(source: Source, number: int) -> str:
    return [*source.text.splitlines(), ""][number - 1].strip()  # an error may be at the end


def _run(paths: Sequence[str], options: Sequence[str]) -> Iterator[re.Match[str]]:
    if not paths:
        return
    result = subprocess.run(
        [*LUACHECK, *options, "--", *paths], capture_output=True, text=True, check=False
    )
    lines = [line for line in result.stdout.splitlines() if line.strip()]
    found = [_FOUND.fullmatch(line) for line in lines]
    if result.returncode not in (0, *FOUND_FAULTS) or not all(found):
        raise RuntimeError(f"luacheck did not run: {result.stdout}{result.stderr}")
    yield from (each for each in found if each)
