"""Whether a terminal resolves Yuexin messages: asks a provider. Each provider has a folder.

settings.BILLING_ABILITY_PROVIDER names the provider; `billing.abilities.<name>` has a function
`provider()` that creates it. services.abilities stores its answers for 30 days.
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
