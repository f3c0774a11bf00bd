"""Does this terminal resolve Yuexin messages? Asked of a provider; one folder per provider.

The provider is named by settings.BILLING_ABILITY_PROVIDER; `billing.abilities.<name>` has a
function `provider()` that makes it. What it answers is kept for 30 days by services.abilities.
"""

from billing.abilities.asking import ask, reset
from billing.abilities.interface import (
    BUDGET_SECONDS,
    Ability,
    ProviderFailedError,
    ProviderSlowError,
)

__all__ = [
    "BUDGET_SECONDS",
    "Ability",
    "ProviderFailedError",
    "ProviderSlowError",
    "ask",
    "reset",
]
