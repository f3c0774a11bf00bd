"""The pools' sweeps. Each is safe to run twice at once, on any worker. Importing registers them."""

import time

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from numbers import services
from numbers.services.alarms import check_alarms
from numbers.services.health_acting import health_tick
from numbers.services.twins_sweep import watch_twins
from poolsite import jobs

COUNT_SECONDS = 20


jobs.sweep(
    "numbers.charges",
    services.sweep_charges,
    every_seconds=2,
    shards=2,
    pausable=True,
    queue=jobs.BOOKS,
    description=jobs.SweepDescription(
        _("Call charges"),
        _("Charges each started interval of charged calls."),
        {
            "vouchers": ngettext_lazy("%(n)s call checked", "%(n)s calls checked", "n"),
            "held": ngettext_lazy("%(n)s interval held", "%(n)s intervals held", "n"),
            "started": ngettext_lazy("%(n)s interval charged", "%(n)s intervals charged", "n"),
            "ended": ngettext_lazy("%(n)s call settled", "%(n)s calls settled", "n"),
        },
    ),
)


def watch(shard: int, shards: int) -> dict[str, int]:
    """Find and mend what Redis lost and what SQL has not sent."""
    counting = int(time.time()) % COUNT_SECONDS < 2
    return services.watch_pools(shard, shards, counting=counting)


jobs.sweep(
    "numbers.watch",
    watch,
    every_seconds=2,
    light=True,
    description=jobs.SweepDescription(
        _("Pool repair"),
        _("Restores what Redis lost and sends pending settings."),
        {"mended": ngettext_lazy("%(n)s difference corrected", "%(n)s differences corrected", "n")},
    ),
)


jobs.sweep(
    "numbers.settings",
    lambda *_shard: services.apply_all_settings(),
    every_seconds=600,
    description=jobs.SweepDescription(
        _("Pool settings"),
        _("Sends pool settings and daily reset times to Redis."),
        {"pools": ngettext_lazy("%(n)s pool updated", "%(n)s pools updated", "n")},
    ),
)

jobs.sweep(
    "numbers.health",
    lambda *_shard: health_tick(),
    every_seconds=30,
    pausable=True,
    description=jobs.SweepDescription(
        _("Number health"),
        _("Updates health figures, ends rests and applies rules."),
        {
            "slid": ngettext_lazy("%(n)s number updated", "%(n)s numbers updated", "n"),
            "returned": ngettext_lazy("%(n)s number returned", "%(n)s numbers returned", "n"),
            "released": ngettext_lazy("%(n)s number released", "%(n)s numbers released", "n"),
            "applied": ngettext_lazy("%(n)s rule applied", "%(n)s rules applied", "n"),
        },
    ),
)

jobs.sweep(
    "numbers.samples",
    lambda *_shard: services.sample_take(),
    every_seconds=60,
    description=jobs.SweepDescription(
        _("Pool charts"), _("Records each pool's figures once a minute.")
    ),
)

jobs.sweep(
    "numbers.alarms",
    lambda *_shard: check_alarms(),
    every_seconds=10,
    description=jobs.SweepDescription(
        _("Pool alarms"), _("Compares pools with their alarm thresholds.")
    ),
)

jobs.sweep(
    "numbers.twins",
    lambda *_shard: watch_twins(),
    every_seconds=20,
    light=True,
    description=jobs.SweepDescription(
        _("Duplicate numbers"),
        _("Finds numbers that are in more than one pool."),
        {
            "settled": ngettext_lazy("%(n)s number compared", "%(n)s numbers compared", "n"),
            "twins": ngettext_lazy("%(n)s duplicate found", "%(n)s duplicates found", "n"),
        },
    ),
)
