"""luacheck on the Lua of all apps."""

import re
import subprocess
from collections.abc import Iterator, Sequence

from tests.house.lua_form import Form, read_form
from tests.house.lua_sources import Folder, Source
from tests.house.source import ROOT

LUACHECK = ["luacheck", "--config", str(ROOT / ".luacheckrc"), "--no-cache", "--no-color"]
LUACHECK += ["--codes", "--formatter", "plain"]
FOUND_FAULTS = (1, 2)  # exit status for warnings and errors; above: it did not run
_FOUND = re.compile(r"(?P<path>.+?):(?P<line>\d+):\d+: (?P<said>\([EW]\d+\) .*)")


def faults(folder: Folder) -> list[str]:
    """Return luacheck's findings in a folder: no warning is allowed."""
    prelude = _lint(folder.of_kind("prelude"), [])
    options = module_options(read_form(folder))
    return prelude + _lint(folder.of_kind("operation", "module"), options)


def module_options(form: Form) -> list[str]:
    """Return the options that describe a folder's modules to luacheck.

    What a module defines may be read; what operations and modules assign may also be set. In its
    own file a module is a local table that is filled but not read (241): other files read it.
    """
    options = [("--read-globals", sorted(form.definitions)), ("--globals", sorted(form.fields))]
    options.append(("--ignore", [f"241/{name}" for name in form.modules]))
    return [word for option, names in options if names for word in (option, *names)]


def _lint(sources: Sequence[Source], options: Sequence[str]) -> list[str]:
    """Return each fault with its line of code."""
    by_path = {str(source.path): source for source in sources}
    return [
        f"{source.place}:{found['line']}: {found['said']}: {_line(source, int(found['line']))}"
        for found in _run(list(by_path), options)
        for source in [by_path[found["path"]]]
    ]


def _line(source: Source, number: int) -> str:
    return [*source.text.splitlines(), ""][number - 1].strip()  # may be after the last line


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
