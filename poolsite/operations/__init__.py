"""What keeps the platform running: incidents, health, metrics, logs, webhooks.

Apps fill it in `AppConfig.ready()`, through the registries; importable before Django's apps
are loaded.
"""

from poolsite.operations import incidents
from poolsite.operations.registry import (
    Check,
    Examination,
    Finding,
    Line,
    register_check,
    register_examination,
    register_metrics,
)

__all__ = [
    "Check",
    "Examination",
    "Finding",
    "Line",
    "incidents",
    "register_check",
    "register_examination",
    "register_metrics",
]
