"""The settings in a wallet's row, in the form that its scripts take."""

from billing import wallet as commands
from billing.models import Wallet


def settings_of(row: Wallet) -> commands.WalletSettings:
    """Return the settings of a wallet; its days are in its account's time zone."""
    return commands.WalletSettings(
        daily_limit=row.daily_limit,
        log_limit=row.log_limit,
        credit_limit=row.credit_limit,
        zone=row.account.zone,
    )
