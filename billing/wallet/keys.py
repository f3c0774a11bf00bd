"""All names of a wallet's keys in Redis, in one place."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WalletKeys:
    """The keys and channels of one wallet. docs/reference/billing/redis.md describes each."""

    slug: str

    @property
    def tag(self) -> str:
        """The hash tag with its braces: the key of the figures, and the start of all other keys."""
        return "{acct." + self.slug + "}"

    @property
    def messages(self) -> str:
        return self.tag + ":messages"

    @property
    def deadlines(self) -> str:
        return self.tag + ":deadlines"

    @property
    def log(self) -> str:
        return self.tag + ":log"

    @property
    def parked(self) -> str:
        return self.tag + ":parked"

    @property
    def unpaid(self) -> str:
        return self.tag + ":unpaid"

    @property
    def operations(self) -> str:
        return self.tag + ":operations"

    @property
    def finals(self) -> str:
        return self.tag + ":finals"

    @property
    def rates(self) -> str:
        return self.tag + ":rates"

    @property
    def all(self) -> tuple[str, ...]:
        """Every key, in the order in which billing/destroy takes them."""
        return (
            *(self.tag, self.messages, self.deadlines, self.log),
            *(self.parked, self.unpaid, self.operations, self.finals, self.rates),
        )

    @property
    def wake_channel(self) -> str:
        """The channel for changes, published at most once per tenth of a second."""
        return self.tag + ":wake"
