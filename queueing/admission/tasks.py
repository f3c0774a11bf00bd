"""The gates' sweeps and jobs; each may run twice at once. Importing registers them."""

from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from poolsite import jobs
from poolsite.jobs import JobHandle, Progress
from queueing.admission import services
from queueing.admission.services import loading


@jobs.sweep(
    "admission.windows",
    every_seconds=2,
    told=jobs.Told(
        _("Batch windows"),
        _("Opens batches whose time window begins."),
        {
            "opened": ngettext_lazy("%(n)s batch opened", "%(n)s batches opened", "n"),
            "missed": ngettext_lazy("%(n)s window missed", "%(n)s windows missed", "n"),
        },
    ),
)
def windows(shard: int, shards: int) -> dict[str, int]:
    """Batches whose window is near."""
    return services.open_windows()


@jobs.sweep(
    "admission.watch",
    every_seconds=2,
    light=True,
    told=jobs.Told(
        _("Gate repair"),
        _("Restores what Redis lost and sends pending settings."),
        {"loads": ngettext_lazy("%(n)s load resumed", "%(n)s loads resumed", "n")},
    ),
)
def watch(shard: int, shards: int) -> dict[str, int]:
    """Finds what Redis lost and what SQL has not sent, and mends it."""
    return services.watch_gates(shard, shards)


@jobs.sweep(
    "admission.settings",
    every_seconds=600,
    told=jobs.Told(
        _("Gate settings"),
        _("Sends gate settings to Redis."),
        {"gates": ngettext_lazy("%(n)s gate updated", "%(n)s gates updated", "n")},
    ),
)
def settings(shard: int, shards: int) -> dict[str, int]:
    """Brings settings to Redis."""
    return services.apply_all_settings()


@jobs.sweep(
    "admission.samples",
    every_seconds=60,
    told=jobs.Told(_("Gate charts"), _("Records each gate's figures once a minute.")),
)
def samples(shard: int, shards: int) -> dict[str, int]:
    """One row per gate and minute, for the charts."""
    return services.sample_take()


@jobs.sweep(
    "admission.alarms",
    every_seconds=10,
    told=jobs.Told(_("Gate alarms"), _("Compares gates with their alarm thresholds.")),
)
def alarms(shard: int, shards: int) -> dict[str, int]:
    """Compares gates with their thresholds."""
    from queueing.admission.services.alarms import check_alarms

    return check_alarms()


@jobs.kind(loading.LOAD, prefix="load", stale_seconds=30, title=_("Loading a batch"))
def load(job: JobHandle) -> Iterator[Progress]:
    """Puts a batch's tasks before the devices."""
    yield from loading.run_load(job)
