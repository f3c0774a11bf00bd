"""The directory of pools for the hot lane."""

from dataclasses import dataclass

from numbers.canonical import E164, canonical, spelled
from numbers.models import Pool
from poolsite.api.directory import DirectoryKind


@dataclass(frozen=True, slots=True)
class PoolRef:
    """The part of a pool that the hot lane needs. Access checks treat it like the pool itself."""

    id: int
    slug: str
    account_id: int | None
    lease_seconds: int
    near: bool
    charged: bool
    charge_interval_seconds: int = 60
    home_country: str = ""
    number_spelling: str = E164

    access_kind = "pool"

    def stored(self, number: str | None) -> str:
        """The form in which the scripts look up a number that a switch sent in any format."""
        return canonical(number, self.home_country) if number else ""

    def spelled(self, number: str) -> str:
        """A number in the format in which this pool's switches get it."""
        return spelled(number, self.number_spelling, self.home_country) if number else ""


def _load(slug: str) -> PoolRef | None:
    row = (
        Pool.objects.filter(slug=slug)
        .values_list(
            *("pk", "slug", "account_id", "lease_seconds", "near"),
            *("charged", "charge_interval_seconds", "home_country", "number_spelling"),
        )
        .first()
    )
    return None if row is None else PoolRef(*row)


POOLS = DirectoryKind("pools", _load)
