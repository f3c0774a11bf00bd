"""The groups' sweeps. Each may run twice at the same time. Importing this module registers them."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from poolsite import jobs
from queueing.dispatch import services

jobs.sweep(
    "dispatch.upgrades",
    lambda *_shard: services.tick_upgrades(),
    every_seconds=1,
    light=True,
    description=jobs.SweepDescription(
        _("Rolling upgrades"),
        _("Takes the next step of running upgrades."),
        {"upgrades": ngettext_lazy("%(n)s upgrade running", "%(n)s upgrades running", "n")},
    ),
)

jobs.sweep(
    "dispatch.untils",
    lambda *_shard: services.end_untils(),
    every_seconds=2,
    light=True,
    description=jobs.SweepDescription(
        _("Ended drains and blocks"),
        _("Reopens instances whose drain or block has ended."),
        {"opened": ngettext_lazy("%(n)s instance reopened", "%(n)s instances reopened", "n")},
    ),
)

jobs.sweep(
    "dispatch.watch",
    services.watch_groups,
    every_seconds=2,
    light=True,
    description=jobs.SweepDescription(
        _("Dispatcher repair"), _("Restores what Redis lost and sends pending settings.")
    ),
)

jobs.sweep(
    "dispatch.peers",
    services.note_peers,
    every_seconds=2,
    light=True,
    description=jobs.SweepDescription(
        _("Dispatcher connections"),
        _("Records which dispatchers are connected."),
        {"rows": ngettext_lazy("%(n)s connection changed", "%(n)s connections changed", "n")},
    ),
)

jobs.sweep(
    "dispatch.samples",
    lambda *_shard: services.sample_take(),
    every_seconds=60,
    description=jobs.SweepDescription(
        _("Dispatcher charts"), _("Records each group's figures once a minute.")
    ),
)

jobs.sweep(
    "dispatch.alarms",
    lambda *_shard: services.check_alarms(),
    every_seconds=10,
    description=jobs.SweepDescription(
        _("Dispatcher alarms"), _("Finds groups that need attention.")
    ),
)
