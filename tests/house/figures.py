"""`make check` prints the size of the product and its import cycles, next to the limits."""

import ast
import re
import statistics
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.house.source import files, imported_modules, module_name, relative, tree

PRODUCT = ("poolsite/", "numbers/", "queueing/", "billing/", "integrations/")
LONGEST_FILE = 300
# The limit for each count. It never rises: lower it when a count has become better.
AT_MOST = {
    "files over 300 lines": 0,
    "circles of files": 0,
    "circles of packages": 0,
    "class names, 3 meanings": 0,  # docs/decisions/0066
    "types ignored": 19,  # each with its code and a reason
    "types ignored in tests": 4,
}

IGNORED = re.compile(r"# type: ignore\[")

Graph = Mapping[str, set[str]]


@dataclass(frozen=True)
class Figure:
    """A line of the table. `mark` is what the project aims at."""

    name: str
    value: float
    mark: float


def product_files() -> list[Path]:
    """Return the Python files of the product without migrations."""
    return [
        path
        for path in files(".py")
        if relative(path).startswith(PRODUCT) and "/migrations/" not in relative(path)
    ]


def test_files() -> list[Path]:
    """Return the Python files of the tests."""
    return [path for path in files(".py") if relative(path).startswith("tests/")]


def figures() -> list[Figure]:
    """Measure the product's files."""
    paths = product_files()
    lengths = [len(path.read_text().splitlines()) for path in paths]
    graph = imports(paths)
    return [
        Figure("statements", sum(statements(tree(path)) for path in paths), 35_000),
        Figure("median lines of a file", statistics.median(lengths), 90),
        Figure("files over 300 lines", sum(lines > LONGEST_FILE for lines in lengths), 0),
        Figure("circles of files", len(circles(graph)), 0),
        Figure("circles of packages", len(circles(between_packages(graph))), 0),
        Figure("class names, 3 meanings", len(common_class_names(paths)), 0),
        Figure("types ignored", types_ignored(paths), 0),
        Figure("types ignored in tests", types_ignored(test_files()), 0),
    ]


def statements(module: ast.Module) -> int:
    """Count the statements, docstrings aside."""
    return sum(
        isinstance(node, ast.stmt)
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for node in ast.walk(module)
    )


def types_ignored(paths: Iterable[Path]) -> int:
    """Count the places where mypy is told to ignore an error."""
    return sum(len(IGNORED.findall(path.read_text())) for path in paths)


def common_class_names(paths: list[Path]) -> list[str]:
    """Return the public class names with three or more meanings, except in API clients.

    Each module gives a name a meaning of its own, but subclasses of one base of ours have one.
    """
    classes = [
        (path, node)
        for path in paths
        if not relative(path).startswith("integrations/")
        for node in tree(path).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]
    own = {node.name for _, node in classes}
    meanings = {(node.name, _own_base(node, own) or relative(path)) for path, node in classes}
    names = Counter(name for name, _ in meanings)
    del names["Command"]  # Django's name for a command of manage.py
    return [name for name, count in names.items() if count > 2]


def _own_base(node: ast.ClassDef, own: Collection[str]) -> str:
    bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
    return bases[0] if bases and bases[0] in own else ""


def imports(paths: list[Path]) -> Graph:
    """Return the modules that each module imports, also inside functions and for types only."""
    known = {module_name(path): path for path in paths}
    return {
        name: {
            target
            for _, imported in imported_modules(path)
            if (target := _module_of(imported, known)) and target != name
        }
        for name, path in known.items()
    }


def _module_of(imported: str, known: Mapping[str, Path]) -> str:
    """Return the module that a dotted name is, or is in. Empty if it is not one of ours."""
    while imported and imported not in known:
        imported = imported.rpartition(".")[0]
    return imported


def between_packages(graph: Graph) -> Graph:
    """Return which packages of `poolsite` and which apps import which."""
    found: dict[str, set[str]] = {}
    for name, targets in graph.items():
        mine = _package_of(name)
        found.setdefault(mine, set()).update({_package_of(each) for each in targets} - {mine})
    return found


def _package_of(name: str) -> str:
    """Return `poolsite.live` for `poolsite.live.feed`, `numbers` for `numbers.pool`."""
    parts = name.split(".")
    return ".".join(parts[:2]) if parts[0] in ("poolsite", "queueing") else parts[0]


def circles(graph: Graph) -> list[list[str]]:
    """Return the groups whose members all import each other, directly or not (Tarjan, 1972)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def leave(name: str) -> None:
        if lowest[name] != order[name]:
            return
        group = stack[stack.index(name) :]
        del stack[-len(group) :]
        if len(group) > 1:
            found.append(sorted(group))

    for root in sorted(graph):
        path: list[tuple[str, Iterator[str]]] = []
        visits = [root] if root not in order else []
        while visits or path:
            if visits:
                name = visits.pop()
                order[name] = lowest[name] = len(order)
                stack.append(name)
                path.append((name, iter(sorted(graph.get(name, ())))))
            name, targets = path[-1]
            for target in targets:
                if target not in order:
                    visits.append(target)
                    break
                if target in stack:
                    lowest[name] = min(lowest[name], order[target])
            else:
                path.pop()
                leave(name)
                if path:
                    above = path[-1][0]
                    lowest[above] = min(lowest[above], lowest[name])
    return found


def worse(found: list[Figure]) -> list[str]:
    """Return a sentence for each figure that is above `AT_MOST`."""
    return [
        f"{each.name}: {each.value:g}, {AT_MOST[each.name]} before"
        for each in found
        if each.name in AT_MOST and each.value > AT_MOST[each.name]
    ]


def main() -> int:
    """Print the table. Return exit status 1 if a figure has become worse."""
    found = figures()
    for each in found:
        print(f"{each.name:<24}{each.value:>10,.0f}   mark {each.mark:,.0f}")
    faults = worse(found)
    for line in faults:
        print(line)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
