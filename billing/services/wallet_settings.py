"""What a wallet's row says of it, as its scripts take it."""

from billing import wallet as door
from billing.models import Wallet


def settings_of(row: Wallet) -> door.WalletSettings:
    """The settings of a wallet; its days are its account's."""
    return door.WalletSettings(
        daily_limit=row.daily_limit,
        log_limit=row.log_limit,
        credit_limit=row.credit_limit,
        zone=row.account.zone,
    )
