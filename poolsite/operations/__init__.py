"""What people who run the platform look at: overview, search, incidents, health, metrics, logs.

Apps fill it in `AppConfig.ready()`, through the registries; importable before Django's apps
are loaded.
"""

from poolsite.operations import incidents
from poolsite.operations.registry import (
    Card,
    CardData,
    Figure,
    Found,
    register_card,
    register_check,
    register_metrics,
    register_search,
)

__all__ = [
    "Card",
    "CardData",
    "Figure",
    "Found",
    "incidents",
    "register_card",
    "register_check",
    "register_metrics",
    "register_search",
]
