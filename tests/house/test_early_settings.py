"""Which settings the product reads while its modules are imported.

A forked child of the tests reads its settings only after that (tests/support/forking.py).
"""

import ast
from collections.abc import Iterator

import pytest

from tests.house.source import files, relative, tree
from tests.support.forking import EARLY

pytestmark = pytest.mark.processes  # git lists the files

PRODUCT = ("billing/", "integrations/", "numbers/", "poolsite/", "queueing/")
OF_EVERY_ENVIRONMENT = {"AUTH_USER_MODEL", "BASE_DIR"}
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def read_at_import(node: ast.AST) -> Iterator[str]:
    """Yield settings read outside of functions: by a module, a class, a decorator, a default."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Attribute) and ast.unparse(child.value) == "settings":
            yield child.attr
        if isinstance(child, Function):
            outside = [*child.args.defaults, *filter(None, child.args.kw_defaults)]
            outside += getattr(child, "decorator_list", [])
            yield from read_at_import(ast.Tuple(elts=outside))
        else:
            yield from read_at_import(child)


def test_settings_read_at_import_are_the_early_ones() -> None:
    found = {
        name
        for path in files(".py")
        if relative(path).startswith(PRODUCT)
        for name in read_at_import(tree(path))
        if name.isupper()
    }
    assert found - OF_EVERY_ENVIRONMENT == set(EARLY)


def test_each_way_to_read_one_is_seen() -> None:
    source = (
        "ONE = settings.ONE\n"
        "@every(settings.TWO)\ndef f(a=settings.THREE, *, b=settings.FOUR): settings.NEVER\n"
        "class C:\n  x = settings.FIVE\n  def g(self): return settings.NEVER\n"
    )
    assert set(read_at_import(ast.parse(source))) == {"ONE", "TWO", "THREE", "FOUR", "FIVE"}
