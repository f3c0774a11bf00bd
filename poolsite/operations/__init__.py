"""What keeps the platform running: incidents, health, metrics, logs, webhooks.

Other apps add to it in `AppConfig.ready()`, through the registries. It can be imported before
Django's apps are loaded.
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
