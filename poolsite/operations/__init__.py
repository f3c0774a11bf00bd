"""What people who run the platform look at: overview, search, incidents, health, metrics, logs.

Apps fill it in `AppConfig.ready()`, through the registries; importable before Django's apps
are loaded.
"""

from poolsite.operations import incidents
from poolsite.operations.goals import Goal, Guide, Step, register_goal
from poolsite.operations.goals import provide as register_goals
from poolsite.operations.managed import (
    Final,
    ManagedKind,
    Undo,
    Way,
    register_final,
    register_managed,
    register_way,
    through,
)
from poolsite.operations.registry import (
    Card,
    CardData,
    Check,
    Examination,
    Figure,
    Finding,
    Found,
    Line,
    Stat,
    StatEntry,
    register_card,
    register_check,
    register_examination,
    register_metrics,
    register_search,
    register_stat,
)
from poolsite.operations.sentences import provide as register_sentences

__all__ = [
    "Card",
    "CardData",
    "Check",
    "Examination",
    "Figure",
    "Final",
    "Finding",
    "Found",
    "Goal",
    "Guide",
    "Line",
    "ManagedKind",
    "Stat",
    "StatEntry",
    "Step",
    "Undo",
    "Way",
    "incidents",
    "register_card",
    "register_check",
    "register_examination",
    "register_final",
    "register_goal",
    "register_goals",
    "register_managed",
    "register_metrics",
    "register_search",
    "register_sentences",
    "register_stat",
    "register_way",
    "through",
]
