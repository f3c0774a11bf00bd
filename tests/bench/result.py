"""A row of the performance table: what was measured, against what, and the mark."""

from dataclasses import dataclass, field
from typing import Any, Literal

Verdict = Literal["pass", "short", "not judged", "error"]


@dataclass(frozen=True)
class Row:
    """A measured row. `ratio` is our figure divided by the reference's of the same run."""

    row: str
    name: str
    ours: str
    reference: str
    ratio: float | None
    mark: str
    verdict: Verdict
    notes: str = ""
    figures: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return this row's object of bench.json."""
        return {
            "row": self.row,
            "name": self.name,
            "ours": self.ours,
            "reference": self.reference,
            "ratio": self.ratio,
            "mark": self.mark,
            "verdict": self.verdict,
            "notes": self.notes,
            "figures": self.figures,
        }


def at_most(limit: float, ratio: float) -> Verdict:
    """Return the verdict on a mark of the form "no more than `limit` times"."""
    return "pass" if ratio <= limit else "short"


def at_least(limit: float, ratio: float) -> Verdict:
    """Return the verdict on a mark of the form "at least `limit` times"."""
    return "pass" if ratio >= limit else "short"


def as_table(rows: list[Row]) -> str:
    """Return the rows as a plain-text table, columns aligned."""
    head = ("row", "name", "ours", "reference", "ratio", "mark", "verdict")
    cells = [head] + [
        (
            row.row,
            row.name,
            row.ours,
            row.reference,
            "-" if row.ratio is None else f"{row.ratio:.2f}",
            row.mark,
            row.verdict,
        )
        for row in rows
    ]
    widths = [max(len(line[column]) for line in cells) for column in range(len(head))]
    lines = [
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
        for line in cells
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    lines += [f"   {row.row}: {row.notes}" for row in rows if row.notes]
    return "\n".join(lines)
