"""Which pools there are, as the hot lane knows them."""

from dataclasses import dataclass

from numbers.canonical import E164, canonical, spelled
from numbers.models import Pool
from poolsite.api.directory import DirectoryKind


@dataclass(frozen=True, slots=True)
class PoolRef:
    """What the hot lane needs of a pool; access knows it as a thing of its tenant."""

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
        """A number that a switch named, in whatever format, as the scripts look for it."""
        return canonical(number, self.home_country) if number else ""

    def spelled(self, number: str) -> str:
        """A number as this pool's switches are answered."""
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
