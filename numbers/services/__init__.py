"""Use cases that change pools and numbers: check rights, write SQL and audit log, then Redis."""

from numbers.errors import NumbersError
from numbers.services.adding import number_add, number_add_range, numbers_add, range_of
from numbers.services.callbacks import callback_pool, claim_release, number_claim, number_use
from numbers.services.changing import number_change
from numbers.services.charging_sweep import sweep_charges
from numbers.services.healing import apply_all_settings, watch_pools
from numbers.services.holding import (
    number_force_hangup,
    number_quarantine,
    number_release,
    numbers_quarantine,
    numbers_release,
)
from numbers.services.pools import (
    pool_configure,
    pool_create,
    pool_delete,
    pool_open_early,
    pool_pause,
    pool_resume,
)
from numbers.services.rebuilding import pool_rebuild
from numbers.services.reconciling import pool_reconcile
from numbers.services.removing import number_delete, numbers_delete, numbers_move
from numbers.services.sampling import sample_take
from numbers.services.switch_users import switch_user_make
from numbers.services.switches import switch_configure, switch_create, switch_delete

__all__ = [
    "NumbersError",
    "apply_all_settings",
    "callback_pool",
    "claim_release",
    "number_add",
    "number_add_range",
    "number_change",
    "number_claim",
    "number_delete",
    "number_force_hangup",
    "number_quarantine",
    "number_release",
    "number_use",
    "numbers_add",
    "numbers_delete",
    "numbers_move",
    "numbers_quarantine",
    "numbers_release",
    "pool_configure",
    "pool_create",
    "pool_delete",
    "pool_open_early",
    "pool_pause",
    "pool_rebuild",
    "pool_reconcile",
    "pool_resume",
    "range_of",
    "sample_take",
    "sweep_charges",
    "switch_configure",
    "switch_create",
    "switch_delete",
    "switch_user_make",
    "watch_pools",
]
