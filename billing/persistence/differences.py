"""The result of a proof: two figures that must agree, but don't."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """A wallet, or a number sequence, whose books don't agree.

    `entry` names the first entry that differs, or is "".
    """

    slug: str
    equation: str
    expected: int
    found: int
    entry: str = ""

    def __str__(self) -> str:
        where = f"; first: {self.entry}" if self.entry else "; no entry differs"
        return f"{self.slug}: {self.equation}: {self.found} instead of {self.expected}{where}"
