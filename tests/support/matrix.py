"""What the walks over pages, API, admin, sockets and hot lane observed: one table after the run.

A walk calls `observe` for each request or subscription, before it judges it, so the table holds
what really happened. Workers send theirs to the process that prints.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

# The table has two parts, so that it fits 120 columns.
PEOPLE = (
    *("nobody", "owner", "admin", "payer", "sender", "supervisor", "agent"),
    *("roleless", "foreign"),
)
STAFF = (
    *("looker", "operate", "finance", "supervise", "one thing", "superuser"),
    *("ended", "token", "other token", "visitor"),
)
KINDS = {
    **dict.fromkeys(("ok", "open"), "allowed"),
    **dict.fromkeys(("login", "no", "confirm", "method", "invalid", "refused"), "refused"),
    **dict.fromkeys(("4401", "4403", "400"), "refused"),
    **dict.fromkeys(("hidden", "4404"), "hidden"),
}
_counts: Counter[tuple[str, str, str]] = Counter()  # area, person, allowed | refused | hidden | …


def observe(area: str, person: str, answer: str, *, expected: bool, leaks: int = 0) -> None:
    """Count one answer. leaks: how many foreign words it held; expected: as its table says."""
    if person not in PEOPLE + STAFF:
        raise ValueError(f"the table has no column for {person!r}")
    _counts[area, person, KINDS.get(answer, "unexpected" if not expected else "refused")] += 1
    _counts[area, person, "tried"] += 1
    _counts[area, person, "leaks"] += leaks
    _counts[area, person, "wrong"] += not expected


class MatrixPlugin:
    """Gathers the workers' counts, and prints them all."""

    @pytest.hookimpl
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["matrix"] = [[*key, n] for key, n in _counts.items()]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        for area, person, kind, count in getattr(node, "workeroutput", {}).get("matrix", ()):
            _counts[area, person, kind] += count

    @pytest.hookimpl
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if _counts:
            terminalreporter.section("who got what: allowed/refused/hidden")
            for line in table(_counts):
                terminalreporter.write_line(line)


def table(counts: Mapping[tuple[str, str, str], int]) -> list[str]:
    """The lines of the table: areas × people, areas × staff and machines, totals."""
    areas = sorted({area for area, _, _ in counts})
    lines = [line for people in (PEOPLE, STAFF) for line in _part(counts, areas, people)]

    def total(kind: str, person: str = "") -> int:
        found = counts.items()
        return sum(n for (_, who, what), n in found if what == kind and person in ("", who))

    return [
        *lines,
        f"{total('tried')} requests and subscriptions tried, {total('wrong')} unexpected answers; "
        f"another tenant's words were found {total('leaks')} times "
        f"(looked for in {total('tried', 'foreign')} answers to a foreign tenant's owner)",
    ]


def _part(
    counts: Mapping[tuple[str, str, str], int], areas: list[str], people: tuple[str, ...]
) -> list[str]:
    def cell(area: str, person: str) -> str:
        if not counts.get((area, person, "tried")):
            return "·"
        its = [counts.get((area, person, kind), 0) for kind in ("allowed", "refused", "hidden")]
        return "/".join(map(str, its)) + ("!" if counts.get((area, person, "wrong")) else "")

    rows = [["", *people], *([area, *(cell(area, who) for who in people)] for area in areas)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return [
        "  ".join(
            text.rjust(width) if at else text.ljust(width)
            for at, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
        if row is rows[0] or any(text != "·" for text in row[1:])
    ]
