"""Who carries messages to the terminals: one interface, one folder per provider.

A provider's folder has a class `Gateway` with the methods of `Gateway` here. Which one is used,
and where it stands, are settings. Status reports come back by our own interface
(`POST /api/v1/accounts/{slug}/settlements`), whatever the provider is.
"""

from billing.gateways.interface import (
    Gateway,
    GatewayError,
    Handover,
    SubmitResult,
    handover_of,
    is_configured,
    open_gateway,
)

__all__ = [
    "Gateway",
    "GatewayError",
    "Handover",
    "SubmitResult",
    "handover_of",
    "is_configured",
    "open_gateway",
]
