"""The groups' sweeps; each may run twice at once. Importing registers them."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from poolsite import jobs
from queueing.dispatch import services


@jobs.sweep(
    "dispatch.upgrades",
    every_seconds=1,
    light=True,
    told=jobs.Told(
        _("Rolling upgrades"),
        _("Takes the next step of running upgrades."),
        {"upgrades": ngettext_lazy("%(n)s upgrade running", "%(n)s upgrades running", "n")},
    ),
)
def upgrades(shard: int, shards: int) -> dict[str, int]:
    """One step of every running upgrade."""
    return services.tick_upgrades()


@jobs.sweep(
    "dispatch.untils",
    every_seconds=2,
    light=True,
    told=jobs.Told(
        _("Ended drains and blocks"),
        _("Reopens instances whose drain or block has ended."),
        {"opened": ngettext_lazy("%(n)s instance reopened", "%(n)s instances reopened", "n")},
    ),
)
def untils(shard: int, shards: int) -> dict[str, int]:
    """Drains and blocks that Redis has opened: SQL says so too."""
    return services.end_untils()


@jobs.sweep(
    "dispatch.watch",
    every_seconds=2,
    light=True,
    told=jobs.Told(
        _("Dispatcher repair"), _("Restores what Redis lost and sends pending settings.")
    ),
)
def watch(shard: int, shards: int) -> dict[str, int]:
    """Finds what Redis lost and what SQL has not sent, and mends it."""
    return services.watch_groups(shard, shards)


@jobs.sweep(
    "dispatch.peers",
    every_seconds=2,
    light=True,
    told=jobs.Told(
        _("Dispatcher connections"),
        _("Records which dispatchers are connected."),
        {"rows": ngettext_lazy("%(n)s connection changed", "%(n)s connections changed", "n")},
    ),
)
def peers(shard: int, shards: int) -> dict[str, int]:
    """Notes in SQL who is linked."""
    return services.note_peers(shard, shards)


@jobs.sweep(
    "dispatch.samples",
    every_seconds=60,
    told=jobs.Told(_("Dispatcher charts"), _("Records each group's figures once a minute.")),
)
def samples(shard: int, shards: int) -> dict[str, int]:
    """One row per group and minute, for the charts."""
    return services.sample_take()


@jobs.sweep(
    "dispatch.alarms",
    every_seconds=10,
    told=jobs.Told(_("Dispatcher alarms"), _("Finds groups that need attention.")),
)
def alarms(shard: int, shards: int) -> dict[str, int]:
    """Groups that need a person."""
    return services.check_alarms()
