"""The tables of the dispatcher: groups, their peers, upgrades, and all events."""

from poolsite.hotpath.rows import SLUG_PATTERN
from queueing.dispatch.models.groups import (
    PEER_PATTERN,
    Group,
    LinkState,
    ManualState,
    Sharing,
    UnsentChange,
)
from queueing.dispatch.models.peers import FrontEnd, Instance
from queueing.dispatch.models.records import DispatchEvent, MinuteSample
from queueing.dispatch.models.upgrades import Upgrade, UpgradeStep

__all__ = [
    "PEER_PATTERN",
    "SLUG_PATTERN",
    "DispatchEvent",
    "FrontEnd",
    "Group",
    "Instance",
    "LinkState",
    "ManualState",
    "MinuteSample",
    "Sharing",
    "UnsentChange",
    "Upgrade",
    "UpgradeStep",
]
