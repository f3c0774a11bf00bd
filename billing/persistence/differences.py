"""What a proof finds: two figures that must agree and do not."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """One wallet, or sequence of numbers, whose books do not agree.

    `entry` names the first differing one ("" = none).
    """

    slug: str
    equation: str
    expected: int
    found: int
    entry: str = ""

    def __str__(self) -> str:
        where = f"; first: {self.entry}" if self.entry else "; no entry differs"
        return f"{self.slug}: {self.equation}: {self.found} instead of {self.expected}{where}"
