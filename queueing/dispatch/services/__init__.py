"""Use cases that change groups and their peers: check rights, change SQL, audit, then Redis."""

from queueing.dispatch.services.alarms import check_alarms
from queueing.dispatch.services.counting import front_count
from queueing.dispatch.services.groups import group_configure, group_create, group_delete
from queueing.dispatch.services.healing import (
    bring_to_redis,
    differences,
    group_check,
    group_rebuild,
    watch_groups,
)
from queueing.dispatch.services.instances import (
    end_untils,
    instance_set,
    peer_disconnect,
    session_end,
)
from queueing.dispatch.services.names import name_forget
from queueing.dispatch.services.noting import note_peers
from queueing.dispatch.services.sampling import sample_take
from queueing.dispatch.services.serving import instance_backup, instance_uneject
from queueing.dispatch.services.upgrading.orders import upgrade_abort, upgrade_force, upgrade_start
from queueing.dispatch.services.upgrading.ticking import tick_upgrades

__all__ = [
    "bring_to_redis",
    "check_alarms",
    "differences",
    "end_untils",
    "front_count",
    "group_check",
    "group_configure",
    "group_create",
    "group_delete",
    "group_rebuild",
    "instance_backup",
    "instance_set",
    "instance_uneject",
    "name_forget",
    "note_peers",
    "peer_disconnect",
    "sample_take",
    "session_end",
    "tick_upgrades",
    "upgrade_abort",
    "upgrade_force",
    "upgrade_start",
    "watch_groups",
]
