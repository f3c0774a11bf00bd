"""Each app's pages have a folder of scripts. What several of them use is in static/js/shared."""

import re
from pathlib import Path, PurePath

import pytest

from tests.house.source import ROOT, files, text_of

pytestmark = pytest.mark.processes

SCRIPTS = ROOT / "static" / "js"
SHARED = PurePath("shared")
NAMED_BY_PYTHON = {"line/widget.js"}  # queueing/line/views/widget.py serves it
IMPORTED = re.compile(r'"(\.{1,2}/[\w./-]+\.js)"')  # also with import() and in types
LOADED = re.compile(r"\{% static ['\"]js/([\w/-]+\.js)['\"] %\}")


def may_import(folder: PurePath, other: PurePath) -> bool:
    """Return whether `other` is the module's own folder, a parent of that, or the shared one."""
    return other in (SHARED, folder, *folder.parents)


def modules() -> dict[str, Path]:
    """Return the modules by their path below static/js."""
    return {
        path.relative_to(SCRIPTS).as_posix(): path
        for path in files(".js")
        if path.is_relative_to(SCRIPTS)
    }


def imports(path: Path) -> set[str]:
    """Return the modules below static/js that a module imports, by their path."""
    found = {(path.parent / name).resolve() for name in IMPORTED.findall(text_of(path))}
    return {one.relative_to(SCRIPTS).as_posix() for one in found if one.is_relative_to(SCRIPTS)}


def test_every_script_is_in_a_folder():
    assert [name for name in modules() if "/" not in name] == []


def test_a_module_imports_no_other_page_s_modules():
    found = [
        f"{name} imports {other}"
        for name, path in modules().items()
        for other in imports(path)
        if not may_import(PurePath(name).parent, PurePath(other).parent)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("folder", "other", "allowed"),
    [
        ("billing", "billing", True),
        ("billing", "shared", True),
        ("line/visit", "line", True),
        ("line/visit", "shared", True),
        ("line", "line/visit", False),
        ("line/agent", "line/visit", False),
        ("billing", "numbers", False),
        ("shared", "billing", False),
    ],
)
def test_the_folders_a_module_sees(folder: str, other: str, allowed: bool):
    assert may_import(PurePath(folder), PurePath(other)) is allowed


def test_every_module_is_there_and_used():
    loaded = {name for path in files(".html") for name in LOADED.findall(text_of(path))}
    imported = {other for path in modules().values() for other in imports(path)}
    assert sorted(loaded | imported | NAMED_BY_PYTHON) == sorted(modules())


def test_the_search_for_imports_sees_every_way():
    page = SCRIPTS / "numbers" / "number.js"
    assert imports(page) >= {"shared/dom.js", "numbers/pool_story.js"}
    assert "numbers/tiles_canvas.js" in imports(SCRIPTS / "numbers" / "tiles.js")  # import()
