"""A name has one import path: the module that defines it, or the facade of its package."""

import ast
from pathlib import Path

import pytest

from tests.house.source import files, module_name, relative, tree

pytestmark = pytest.mark.processes

# Modules, not packages, that re-export names: the ones that another app may call.
OFFERING = {"billing.services.calls"}
CLIENTS = "integrations"  # published unchanged


def _exports(path: Path) -> dict[str, str]:
    """Return the names that `__all__` of a file re-exports, and the module each comes from."""
    offered: list[str] = []
    imported: dict[str, str] = {}
    for node in tree(path).body:
        if isinstance(node, ast.ImportFrom):
            imported |= {each.asname or each.name: node.module or "" for each in node.names}
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            offered = ast.literal_eval(node.value)
    return {name: imported[name] for name in offered if name in imported}


def _product() -> list[Path]:
    return [each for each in files(".py") if not relative(each).startswith(("tests/", CLIENTS))]


def _has_all(path: Path) -> bool:
    return any(
        isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        for node in tree(path).body
    )


def test_packages_alone_have_an_all() -> None:
    found = {module_name(each) for each in _product() if _has_all(each)}
    assert {
        module_name(each)
        for each in _product()
        if module_name(each) in found - OFFERING and each.name != "__init__.py"
    } == set()


def test_what_a_facade_offers_is_imported_from_it() -> None:
    facades = {
        module_name(each): _exports(each) for each in _product() if each.name == "__init__.py"
    }
    faults = []
    for path in files(".py"):
        importer = module_name(path)
        for node in ast.walk(tree(path)):
            if not isinstance(node, ast.ImportFrom) or node.level:
                continue
            for facade, names in facades.items():
                inside = importer == facade or importer.startswith(f"{facade}.")
                if inside or not (node.module or "").startswith(f"{facade}."):
                    continue
                faults += [
                    f"{relative(path)}:{node.lineno} takes {each.name} past {facade}"
                    for each in node.names
                    if names.get(each.name) == node.module
                ]
    assert faults == []
