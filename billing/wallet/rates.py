"""How many messages a chatbot may hold now."""

from billing.wallet.building import accepted, wallet_command
from poolsite.hotpath import Command


def allow(slug: str, chatbot: str, rate: int, count: int) -> Command[int]:
    """Take up to `count` of a chatbot's `rate` per second; returns how many. WalletRefusedError.

    Not repeated after a lost reply: the rate errs on the side of fewer.
    """

    def read(reply: list[str]) -> int:
        return int(accepted(reply)[1])

    return wallet_command("allow", slug, (chatbot, rate, count), read)
