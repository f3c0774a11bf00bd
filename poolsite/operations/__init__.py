"""What keeps the platform running: incidents, health, metrics, logs, webhooks.

Apps fill it in `AppConfig.ready()`, through the registries; importable before Django's apps
are loaded.
"""

from poolsite.operations import incidents
from poolsite.operations.registry import (
    Check,
    DoctorLine,
    Examination,
    Finding,
    register_check,
    register_examination,
    register_metrics,
)

__all__ = [
    "Check",
    "DoctorLine",
    "Examination",
    "Finding",
    "incidents",
    "register_check",
    "register_examination",
    "register_metrics",
]
