"""A rolling upgrade: an operator orders it, whichever worker ticks carries it on."""

from queueing.dispatch.services.upgrading.orders import (
    upgrade_abort,
    upgrade_force,
    upgrade_start,
)
from queueing.dispatch.services.upgrading.ticking import tick_upgrades

__all__ = ["tick_upgrades", "upgrade_abort", "upgrade_force", "upgrade_start"]
