"""Queries about pools and numbers, for pages and machines. Every function is tenant-safe."""

from numbers.selectors.lists import (
    ListedNumber,
    NumberFilter,
    NumberPage,
    about_count,
    number_get,
    number_list,
    prefix_condition,
    regions,
    visible_numbers,
    with_live,
)
from numbers.selectors.pools import (
    PoolNow,
    pool_get,
    pool_list,
    pool_live_calls,
    pool_now,
    pool_sizing,
    visible_pools,
)
from numbers.selectors.records import number_story, recent_calls, visible_calls, who_had
from numbers.selectors.spellings import number_of_pool, stored_value
from numbers.selectors.states import live_numbers, pool_live

__all__ = [
    "ListedNumber",
    "NumberFilter",
    "NumberPage",
    "PoolNow",
    "about_count",
    "live_numbers",
    "number_get",
    "number_list",
    "number_of_pool",
    "number_story",
    "pool_get",
    "pool_list",
    "pool_live",
    "pool_live_calls",
    "pool_now",
    "pool_sizing",
    "prefix_condition",
    "recent_calls",
    "regions",
    "stored_value",
    "visible_calls",
    "visible_numbers",
    "visible_pools",
    "who_had",
    "with_live",
]
