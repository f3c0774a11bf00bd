"""What people who run the platform look at: overview, search, incidents, health, metrics, logs.

Apps fill it in `AppConfig.ready()`, through the registries; importable before Django's apps
are loaded.
"""

from poolsite.operations import incidents
from poolsite.operations.first_steps import FirstStep, register_first_step
from poolsite.operations.registry import (
    Card,
    CardData,
    Figure,
    Found,
    Stat,
    StatEntry,
    register_card,
    register_check,
    register_metrics,
    register_search,
    register_stat,
)

__all__ = [
    "Card",
    "CardData",
    "Figure",
    "FirstStep",
    "Found",
    "Stat",
    "StatEntry",
    "incidents",
    "register_card",
    "register_check",
    "register_first_step",
    "register_metrics",
    "register_search",
    "register_stat",
]
