"""The plain model's promotional credit: used first, the first to expire first."""

from collections.abc import Iterable
from typing import Any


class GrantRules:
    """What a model does with promotional credit; `grants`: promotion → last µs, units left."""

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
        """Of the first to expire first, then of the lowest number; what was taken of which."""
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
        """Promotions whose time is over, the first to expire first."""
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
