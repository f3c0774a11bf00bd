"""No test waits a fixed time: tests poll for a condition, with a patient deadline."""

import ast
from pathlib import Path

import pytest

from tests.house.source import files, relative, text_of, tree

pytestmark = pytest.mark.processes  # git lists the files

WHY = "# waits: "
ADVICE = (
    "Poll with `until` or `eventually`, and give other limits as `patient(seconds)` "
    f"(tests/support/waiting.py). Where nothing but time will do, say why: `{WHY}…`."
)
# This module polls; a benchmark measures time; a campaign lets faults last.
MAY_WAIT = ("tests/support/waiting.py", "tests/bench/", "tests/chaos/")


def waits(source: ast.Module) -> list[int]:
    """Return the lines that sleep, except to let tasks run, or that compute a deadline."""
    return sorted(
        node.lineno
        for node in ast.walk(source)
        if (isinstance(node, ast.Call) and _sleeps(node))
        or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and _reckons(node))
    )


def _sleeps(call: ast.Call) -> bool:
    lets_run = [ast.unparse(each) for each in call.args] == ["0"]
    return ast.unparse(call.func) in ("time.sleep", "asyncio.sleep", "sleep") and not lets_run


def _reckons(sum_: ast.BinOp) -> bool:
    words = (ast.unparse(sum_.left), ast.unparse(sum_.right))
    return any(word.endswith(("monotonic()", "loop().time()", "loop.time()")) for word in words)


def _is_held(path: Path) -> bool:
    """Return whether the rule applies.

    It doesn't apply to programs that tests start: they play visitors, devices or beats at a pace.
    """
    name = relative(path)
    is_free = name.startswith(MAY_WAIT) and not name.startswith("tests/chaos/test_")
    return name.startswith("tests/") and not is_free and not _is_program(tree(path))


def _is_program(source: ast.Module) -> bool:
    tests = [ast.unparse(node.test) for node in source.body if isinstance(node, ast.If)]
    return "__name__ == '__main__'" in tests


def test_no_test_waits_by_the_clock():
    found = [
        f"{relative(path)}:{line}"
        for path in files(".py")
        if _is_held(path)
        for line in waits(tree(path))
        if WHY not in text_of(path).splitlines()[line - 1]
    ]
    assert found == [], ADVICE


def test_the_search_for_waits_sees_them_and_nothing_else():
    source = "\n".join(
        [
            "time.sleep(0.1)",
            "await asyncio.sleep(SECONDS)",
            "deadline = time.monotonic() + 5",
            "deadline = 5 + asyncio.get_running_loop().time()",
            "await asyncio.sleep(0)",
            "took = time.monotonic() - began",
            "until(condition, 5)",
        ]
    )
    assert waits(ast.parse(source)) == [1, 2, 3, 4]
