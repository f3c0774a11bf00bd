"""Every recipe, by the name of its operation."""

from tests.fuzz import recipes_desks, recipes_gates, recipes_pools, recipes_supervising
from tests.fuzz.given import RECIPES

__all__ = ["RECIPES", "recipes_desks", "recipes_gates", "recipes_pools", "recipes_supervising"]
