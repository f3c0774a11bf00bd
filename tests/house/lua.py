"""The step "lua" of `make check`: figures, rules of form, luacheck."""

import sys
from pathlib import Path

from tests.house import lua_figures, lua_form, lua_lint
from tests.house.lua_sources import LUA_APPS, Folder, folders_of, sources_of
from tests.house.source import ROOT
from tests.support import needs


def main(root: Path = ROOT) -> int:
    """Print the table, then the faults. Return exit status 1 if there are any."""
    folders = {app: folders_of(app, root) for app in LUA_APPS}
    figures = {app: lua_figures.measure(sources_of(theirs)) for app, theirs in folders.items()}
    print("\n".join(lua_figures.table(figures)))
    all_folders = [folder for theirs in folders.values() for folder in theirs]
    found = [fault for app, now in figures.items() for fault in lua_figures.faults(app, now)]
    found += [fault for folder in all_folders for fault in lua_form.faults(folder)]
    found += _of_luacheck(all_folders)
    for fault in found:
        print(fault)
    return 1 if found else 0


def _of_luacheck(folders: list[Folder]) -> list[str]:
    """Return luacheck's faults. A missing luacheck is a fault only if everything is required."""
    missing = needs.missing("luacheck")
    if missing and needs.is_all_required():
        return [missing]
    if missing:
        print(missing)
        return []
    return [fault for folder in folders for fault in lua_lint.faults(folder)]


if __name__ == "__main__":
    sys.exit(main())
