"""Every action that the code writes to the audit log, found in its source."""

import ast
from collections.abc import Iterator
from functools import cache

from tests.house.source import files, relative, tree

AUDIT = {"audit", "Act"}  # what writes an entry, or carries its action to where it is written
NOT_OURS = ("tests/", "integrations/")
LOOKS = 4  # helpers that pass their action on to other helpers


def _modules() -> dict[str, ast.Module]:
    return {
        name: tree(path)
        for path in files(".py")
        if not (name := relative(path)).startswith(NOT_OURS) and "/migrations/" not in name
    }


@cache
def written_actions() -> tuple[set[str], list[str]]:
    """Return the actions, and the places whose action can't be read from the source there."""
    modules = _modules()
    actions: set[str] = set()
    unclear: list[str] = []
    own = {name: _own_writers(module) for name, module in modules.items()}
    for name, module in modules.items():
        writers = own[name] | _imported(module, own)
        for call, place in _calls(module, writers, name):
            given = _given(call, place)
            if given is None:
                continue
            found = _texts(given, _names_of(module))
            if found is None:
                unclear.append(f"{name}:{call.lineno}")
            actions |= found or set()
    return actions, unclear


def _own_writers(module: ast.Module) -> dict[str, int | None]:
    writers: dict[str, int | None] = dict.fromkeys(AUDIT, None)
    for _look in range(LOOKS):
        writers |= _helpers(module, writers)
    return writers


def _imported(module: ast.Module, own: dict[str, dict[str, int | None]]) -> dict[str, int | None]:
    """Return the helpers imported from other modules: `from billing.services.x import note`."""
    return {
        each.asname or each.name: theirs[each.name]
        for node in ast.walk(module)
        if isinstance(node, ast.ImportFrom) and node.module
        for end in (".py", "/__init__.py")
        for theirs in [own.get(node.module.replace(".", "/") + end, {})]
        for each in node.names
        if each.name in theirs
    }


def _helpers(module: ast.Module, writers: dict[str, int | None]) -> dict[str, int | None]:
    """Return the functions that write their parameter `action`: name → its position."""
    return {
        function.name: place
        for function, place in _with_an_action(module)
        if any(True for _ in _calls(function, writers, ""))
    }


@cache
def _with_an_action(module: ast.Module) -> list[tuple[ast.FunctionDef, int]]:
    """Return the functions with a parameter `action`, and its position."""
    return [
        (node, names.index("action"))
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef)
        for names in [[each.arg for each in node.args.args]]
        if "action" in names
    ]


def _calls(
    node: ast.AST, writers: dict[str, int | None], name: str
) -> Iterator[tuple[ast.Call, int | None]]:
    """Yield the calls of writers, except those in services/aggregates.py, which only pass it on."""
    for call, its in _named(node):
        if its in writers and not (name.endswith("access/services/aggregates.py")):
            yield call, 1 if its == "Act" else writers[its]


@cache
def _named(node: ast.AST) -> list[tuple[ast.Call, str]]:
    """Return each call, and the last part of the called name."""
    return [
        (call, getattr(call.func, "attr", "") or getattr(call.func, "id", ""))
        for call in ast.walk(node)
        if isinstance(call, ast.Call)
    ]


def _given(call: ast.Call, place: int | None) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg == "action":
            return keyword.value
    return call.args[place] if place is not None and len(call.args) > place else None


@cache
def _names_of(module: ast.Module) -> dict[str, ast.expr]:
    """Return the names with one value each: `action = "a.b" if x else "a.c"`."""
    found: dict[str, ast.expr] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = node.value
    return found


def _texts(given: ast.expr, names: dict[str, ast.expr]) -> set[str] | None:
    """Return the texts that an expression may be. Empty for a parameter that is passed on."""
    if isinstance(given, ast.Constant) and isinstance(given.value, str):
        return {given.value}
    if isinstance(given, ast.IfExp):
        one, other = _texts(given.body, names), _texts(given.orelse, names)
        return None if one is None or other is None else one | other
    if isinstance(given, ast.Name) and given.id == "action":
        return _texts(names["action"], names) if "action" in names else set()
    if isinstance(given, ast.Attribute) and given.attr == "action":
        return set()  # the Act's own action, counted where the Act is created
    return None
