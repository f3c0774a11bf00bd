"""Rate limits: how many messages a chatbot may hold now."""

from billing.wallet.building import accepted, wallet_command
from poolsite.hotpath import Command


def allow(slug: str, chatbot: str, rate: int, count: int) -> Command[int]:
    """Take up to `count` of a chatbot's `rate` per second; return how many.

    Raise WalletRefusedError. The command is not repeated after a lost reply: in doubt, fewer
    messages are allowed.
    """

    def read(reply: list[str]) -> int:
        return int(accepted(reply)[1])

    return wallet_command("allow", slug, (chatbot, rate, count), read)
