"""The desks' sweeps. Each may run twice at once, on any worker. Importing registers them."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from poolsite import jobs
from queueing.line.services import (
    attachments,
    calling,
    erasing,
    healing,
    message_calls,
    service_levels,
    sweeping,
    visitor_mails,
)

jobs.sweep(
    "line.watch",
    healing.watch_desks,
    every_seconds=2,
    light=True,
    description=jobs.SweepDescription(_("Desk repair"), _("Restores desks whose data Redis lost.")),
)


def calls(shard: int, shards: int) -> dict[str, int]:
    """Renew the numbers of callbacks, and complete or undo interrupted ones."""
    of_rooms = calling.sweep_calls(shard, shards)
    of_messages = message_calls.sweep_message_calls(shard, shards)
    return {name: of_rooms[name] + of_messages[name] for name in of_rooms}


jobs.sweep(
    "line.calls",
    calls,
    every_seconds=2,
    pausable=True,
    light=True,
    description=jobs.SweepDescription(
        _("Callbacks"),
        _("Keeps callback numbers and finishes interrupted calls."),
        {"calls": ngettext_lazy("%(n)s call checked", "%(n)s calls checked", "n")},
    ),
)


jobs.sweep(
    "line.hours",
    lambda *_shard: sweeping.apply_hours(),
    every_seconds=20,
    description=jobs.SweepDescription(
        _("Opening hours"), _("Opens and closes queues by their opening hours.")
    ),
)

jobs.sweep(
    "line.samples",
    lambda *_shard: sweeping.sample_take(),
    every_seconds=60,
    description=jobs.SweepDescription(
        _("Queue charts"),
        _("Records each queue's figures once a minute."),
        {"rows": ngettext_lazy("%(n)s sample taken", "%(n)s samples taken", "n")},
    ),
)

jobs.sweep(
    "line.laws",
    lambda *_shard: sweeping.check_laws(),
    every_seconds=30,
    description=jobs.SweepDescription(
        _("Queue consistency"),
        _("Checks that every desk's places and rooms add up."),
        {"drift": ngettext_lazy("%(n)s difference found", "%(n)s differences found", "n")},
    ),
)

jobs.sweep(
    "line.levels",
    lambda *_shard: service_levels.check_levels(),
    every_seconds=60,
    description=jobs.SweepDescription(
        _("Service levels"),
        _("Warns when a queue's service level is too low."),
        {"low": ngettext_lazy("%(n)s queue below target", "%(n)s queues below target", "n")},
    ),
)


def retention(shard: int, shards: int) -> dict[str, int]:
    """Erase transcripts and names that are older than their desk's retention time."""
    attachments.forget_erased()
    return erasing.erase_expired()


jobs.sweep(
    "line.retention",
    retention,
    every_seconds=600,
    description=jobs.SweepDescription(
        _("Old conversations"),
        _("Erases transcripts and names past their retention period."),
        {
            "visits": ngettext_lazy("%(n)s visit erased", "%(n)s visits erased", "n"),
            "messages": ngettext_lazy("%(n)s message erased", "%(n)s messages erased", "n"),
            "left_messages": ngettext_lazy(
                "%(n)s left message erased", "%(n)s left messages erased", "n"
            ),
        },
    ),
)


jobs.sweep(
    "line.attachments",
    lambda *_shard: attachments.sweep_attachments(),
    every_seconds=60,
    description=jobs.SweepDescription(
        _("Unsent files"),
        _("Deletes uploaded files that were never sent."),
        {
            "removed": ngettext_lazy("%(n)s file deleted", "%(n)s files deleted", "n"),
            "due": ngettext_lazy("%(n)s file waiting", "%(n)s files waiting", "n"),
        },
    ),
)

jobs.sweep(
    "line.turns",
    visitor_mails.look_for_turns,
    every_seconds=2,
    light=True,
    description=jobs.SweepDescription(
        _("Turn alerts"),
        _("Finds visitors who asked for an email when they are next."),
        {
            "looked": ngettext_lazy("%(n)s visitor checked", "%(n)s visitors checked", "n"),
            "due": ngettext_lazy("%(n)s visitor is next", "%(n)s visitors are next", "n"),
            "over": ngettext_lazy("%(n)s request ended", "%(n)s requests ended", "n"),
        },
    ),
)

jobs.sweep(
    "line.mails",
    lambda *_shard: visitor_mails.send_due(),
    every_seconds=5,
    queue=jobs.JOBS,
    description=jobs.SweepDescription(
        _("Visitor emails"), _("Sends visitors the emails they asked for.")
    ),
)
