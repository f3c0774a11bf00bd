"""The figures of the product's files, and cycles among its imports: each is seen to fail."""

import ast

import pytest

from tests.house.figures import (
    AT_MOST,
    PRODUCT,
    Figure,
    between_packages,
    circles,
    imports,
    product_files,
    statements,
    worse,
)
from tests.house.source import ROOT, files

pytestmark = pytest.mark.processes


def test_docstrings_are_no_statements():
    text = '''"""Module."""\nimport os\n\ndef f():\n    """Doc."""\n    if os: return 1\n'''
    assert statements(ast.parse(text)) == 4


@pytest.mark.parametrize(
    ("graph", "found"),
    [
        ({"a": {"b"}, "b": {"c"}, "c": set()}, []),
        ({"a": {"b"}, "b": {"a"}}, [["a", "b"]]),
        ({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}, [["a", "b", "c"]]),
        ({"a": {"b"}, "b": {"a"}, "c": {"a", "d"}, "d": {"c"}}, [["a", "b"], ["c", "d"]]),
        ({"a": {"b", "c"}, "b": {"d"}, "c": {"d"}, "d": set()}, []),
    ],
)
def test_a_circle_is_found_and_only_a_circle(graph, found):
    assert circles(graph) == found


def test_a_very_long_chain_of_imports_is_followed():
    chain = {f"m{n:05d}": {f"m{n + 1:05d}"} for n in range(20_000)}
    assert circles(chain) == []
    assert len(circles({**chain, "m20000": {"m00000"}})[0]) == 20_001


def test_imports_in_functions_and_for_types_count():
    graph = imports(product_files())
    assert "poolsite.live" in graph["poolsite.jobs.services"]  # inside a function
    assert "poolsite.access.models" in graph["poolsite.jobs.starting"]  # for types only
    assert "poolsite.hotpath" in between_packages(graph)["numbers"]
    assert not any(name.startswith(("tests", "numbers.migrations")) for name in graph)


def test_a_figure_that_has_become_worse_is_named():
    name, most = next(iter(AT_MOST.items()))
    assert worse([Figure(name, most, 0)]) == []
    assert worse([Figure(name, most + 1, 0)]) == [f"{name}: {most + 1}, {most} before"]


def test_every_package_outside_of_the_tests_is_measured():
    tops = {path.relative_to(ROOT).parts[0] for path in files(".py")}
    assert tops - {"tests", "manage.py"} == {name.rstrip("/") for name in PRODUCT}
