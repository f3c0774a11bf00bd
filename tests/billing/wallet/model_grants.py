"""The plain model's promotional credit: used before other money, the earliest expiry first."""

from collections.abc import Iterable
from typing import Any


class GrantRules:
    """How a model handles promotional credit. `grants`: promotion → last µs, units left."""

    grants: dict[int, list[int]]
    bal: int
    now: int
    status: str
    write: Any

    @property
    def promotional(self) -> int:
        return sum(left for _, left in self.grants.values())

    @property
    def own(self) -> int:
        return self.bal - self.promotional

    def take(self, amount: int) -> list[tuple[int, int]]:
        """Take the amount, by earliest expiry, then lowest number.

        Return what was taken of which.
        """
        took = []
        for promotion in sorted(self.grants, key=lambda each: (self.grants[each][0], each)):
            units = min(amount, self.grants[promotion][1])
            if units:
                self.grants[promotion][1] -= units
                amount -= units
                took.append((promotion, units))
        return took

    def expire(self, promotion: int, units: int) -> None:
        if units:
            self.bal -= units
            name = f"promotion:{promotion}"
            self.write("expired", name, spendable=-units, moved=[(promotion, -units)])

    def lapsed(self, lag: int) -> list[int]:
        """Return promotions whose time is over, the earliest expiry first."""
        if self.status == "recovering":
            return []
        over = [each for each, (ends, _) in self.grants.items() if self.now - lag > ends]
        return sorted(over, key=lambda each: (self.grants[each][0], each))

    def end_what_returned_late(self, moved: Iterable[tuple[int, int]]) -> None:
        for promotion, units in moved:
            if promotion not in self.grants:
                self.expire(promotion, units)


def negative(took: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    return [(promotion, -units) for promotion, units in took]
