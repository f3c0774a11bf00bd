"""All recipes, by the name of their operation."""

from tests.fuzz import (
    recipes_desk_setup,
    recipes_desks,
    recipes_gates,
    recipes_groups,
    recipes_invoices,
    recipes_money,
    recipes_people,
    recipes_pool_management,
    recipes_pools,
    recipes_sending,
    recipes_supervising,
    recipes_webhooks,
)
from tests.fuzz.given import RECIPES

__all__ = [
    "RECIPES",
    "recipes_desk_setup",
    "recipes_desks",
    "recipes_gates",
    "recipes_groups",
    "recipes_invoices",
    "recipes_money",
    "recipes_people",
    "recipes_pool_management",
    "recipes_pools",
    "recipes_sending",
    "recipes_supervising",
    "recipes_webhooks",
]
