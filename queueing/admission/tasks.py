"""The gates' sweeps and jobs. Each may run twice at the same time. Importing registers them."""

from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from poolsite import jobs
from poolsite.jobs import JobHandle, Progress
from queueing.admission import services
from queueing.admission.services import loading
from queueing.admission.services.alarms import check_alarms

jobs.sweep(
    "admission.watch",
    services.watch_gates,
    every_seconds=2,
    light=True,
    description=jobs.SweepDescription(
        _("Gate repair"),
        _("Restores what Redis lost and sends pending settings."),
        {"loads": ngettext_lazy("%(n)s load resumed", "%(n)s loads resumed", "n")},
    ),
)

jobs.sweep(
    "admission.windows",
    lambda *_shard: services.open_windows(),
    every_seconds=2,
    description=jobs.SweepDescription(
        _("Batch windows"),
        _("Opens batches whose time window begins."),
        {
            "opened": ngettext_lazy("%(n)s batch opened", "%(n)s batches opened", "n"),
            "missed": ngettext_lazy("%(n)s window missed", "%(n)s windows missed", "n"),
        },
    ),
)

jobs.sweep(
    "admission.settings",
    lambda *_shard: services.apply_all_settings(),
    every_seconds=600,
    description=jobs.SweepDescription(
        _("Gate settings"),
        _("Sends gate settings to Redis."),
        {"gates": ngettext_lazy("%(n)s gate updated", "%(n)s gates updated", "n")},
    ),
)

jobs.sweep(
    "admission.samples",
    lambda *_shard: services.sample_take(),
    every_seconds=60,
    description=jobs.SweepDescription(
        _("Gate charts"), _("Records each gate's figures once a minute.")
    ),
)

jobs.sweep(
    "admission.alarms",
    lambda *_shard: check_alarms(),
    every_seconds=10,
    description=jobs.SweepDescription(
        _("Gate alarms"), _("Compares gates with their alarm thresholds.")
    ),
)


@jobs.kind(loading.LOAD, prefix="load", stale_seconds=30, title=_("Loading a batch"))
def load(job: JobHandle) -> Iterator[Progress]:
    """Load a batch's tasks into Redis."""
    yield from loading.run_load(job)
