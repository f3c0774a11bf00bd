"""What the walks over pages, API, admin, sockets and hot lane observed: a table after the run.

A walk calls `observe` for each request or subscription before it judges the answer, so the table
shows what really happened. Workers send their counts to the process that prints.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

# The columns and their people. Those of one column get the same answer nearly everywhere.
COLUMNS = {
    "nobody": ("nobody", "ended"),
    "managers": ("owner", "admin"),
    "payers": ("payer", "sender"),
    "supervisor": ("supervisor",),
    "agent": ("agent",),
    "roleless": ("roleless",),
    "foreign": ("foreign", "other token"),
    "operators": ("looker", "finance", "supervise", "one thing"),
    "operate": ("operate", "superuser"),
    "token": ("token",),
    "visitor": ("visitor",),
}
COLUMN_OF = {person: column for column, people in COLUMNS.items() for person in people}
KINDS = {
    **dict.fromkeys(("ok", "open"), "allowed"),
    **dict.fromkeys(("login", "no", "confirm", "method", "invalid", "refused"), "refused"),
    **dict.fromkeys(("4401", "4403", "400"), "refused"),
    **dict.fromkeys(("hidden", "4404"), "hidden"),
}
Counts = Mapping[tuple[str, str, str], int]  # (area, column, allowed | refused | hidden | …): count
_counts: Counter[tuple[str, str, str]] = Counter()


def observe(area: str, person: str, answer: str, *, expected: bool, leaks: int = 0) -> None:
    """Count one answer.

    leaks: how many words of other accounts it contained. expected: whether it is the answer that
    the walk's table names.
    """
    column = COLUMN_OF[person]
    _counts[area, column, KINDS.get(answer, "other")] += 1
    _counts[area, column, "tried"] += 1
    _counts[area, column, "leaks"] += leaks
    _counts[area, column, "wrong"] += not expected


class MatrixPlugin:
    """Adds up the workers' counts and prints them."""

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["matrix"] = [[*key, n] for key, n in _counts.items()]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        for area, column, kind, count in getattr(node, "workeroutput", {}).get("matrix", ()):
            _counts[area, column, kind] += count

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if _counts:
            terminalreporter.section("who got what: allowed/refused/hidden (tests/README.md)")
            for line in table(_counts):
                terminalreporter.write_line(line)


def table(counts: Counts) -> list[str]:
    """Return the lines of the table: a row for each area, then the totals."""
    areas = sorted({area for area, _, _ in counts})
    rows = [
        ["", *COLUMNS],
        *([area, *(_cell(counts, area, column) for column in COLUMNS)] for area in areas),
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]

    def total(kind: str, column: str = "") -> int:
        return sum(
            n for (_, who, what), n in counts.items() if what == kind and column in ("", who)
        )

    return [
        *(_line(row, widths) for row in rows),
        f"{total('tried')} requests and subscriptions, {total('wrong')} unexpected answers; "
        f"foreign: {total('leaks')} leaks in {total('tried', 'foreign')} answers",
    ]


def _cell(counts: Counts, area: str, column: str) -> str:
    if not counts.get((area, column, "tried")):
        return "·"
    its = [counts.get((area, column, kind), 0) for kind in ("allowed", "refused", "hidden")]
    return "/".join(map(str, its)) + ("!" if counts.get((area, column, "wrong")) else "")


def _line(row: list[str], widths: list[int]) -> str:
    first, *others = [text.ljust(width) for text, width in zip(row, widths, strict=True)]
    return " ".join([first, *(text.strip().rjust(len(text)) for text in others)]).rstrip()
