"""Gateways that carry messages to the terminals: one interface, and a folder for each provider.

A provider's folder has a class `Gateway` with the methods of `Gateway` here. The settings choose
the provider and its address. Status reports come back through our own API (`POST
/api/v1/accounts/{slug}/settlements`), whatever the provider is.
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
