"""What the pages of all apps share: lists, forms, verbs, navigation, search, audit sentences.

Apps use the registries in `AppConfig.ready()`. This package can be imported before Django's apps
are loaded.
"""

from poolsite.console.goals import Goal, GoalStep, register_goal
from poolsite.console.goals import provide as register_goals
from poolsite.console.managed import (
    ManagedKind,
    NotUndoable,
    Undo,
    UndoHandler,
    register_final,
    register_managed,
    register_way,
    through,
)
from poolsite.console.registry import (
    Card,
    CardData,
    Found,
    Stat,
    StatEntry,
    register_card,
    register_search,
    register_stat,
)
from poolsite.console.sentences import provide as register_sentences

__all__ = [
    "Card",
    "CardData",
    "Found",
    "Goal",
    "GoalStep",
    "ManagedKind",
    "NotUndoable",
    "Stat",
    "StatEntry",
    "Undo",
    "UndoHandler",
    "register_card",
    "register_final",
    "register_goal",
    "register_goals",
    "register_managed",
    "register_search",
    "register_sentences",
    "register_stat",
    "register_way",
    "through",
]
