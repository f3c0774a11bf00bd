"""Automatic steps of campaigns: begin on time, continue after a lost worker, end."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop, ngettext_lazy

from billing import webhook_events
from billing.models import Campaign
from billing.selectors.campaigns import is_over
from billing.services import campaigns_running as running
from poolsite import jobs
from poolsite.jobs.models import Job

LIMIT = 200
STOPPED = gettext_noop("The sending job was stopped.")
Status = Campaign.Status


def sweep_campaigns(shard: int = 0, shards: int = 1) -> dict[str, int]:
    """Check all campaigns that are under way, at most 200 of each state."""
    return {
        "begun": sum(running.begin_when_due(each) for each in _due()),
        "paid": sum(
            running.begin_when_paid(each) for each in running.paid().order_by("pk")[:LIMIT]
        ),
        "taken_up": sum(_take_up(each) for each in _of(Status.SENDING)),
        "ended": sum(_end(each) for each in _of(Status.SENT)),
    }


jobs.sweep(
    "billing.campaigns",
    sweep_campaigns,
    every_seconds=3,
    queue=jobs.JOBS,
    description=jobs.SweepDescription(
        _("Campaigns"),
        _("Starts due campaigns and closes finished ones."),
        {
            "begun": ngettext_lazy("%(n)s campaign started", "%(n)s campaigns started", "n"),
            "paid": ngettext_lazy(
                "%(n)s campaign resumed after a top-up",
                "%(n)s campaigns resumed after a top-up",
                "n",
            ),
            "taken_up": ngettext_lazy("%(n)s campaign resumed", "%(n)s campaigns resumed", "n"),
            "ended": ngettext_lazy("%(n)s campaign completed", "%(n)s campaigns completed", "n"),
        },
    ),
)


def _of(status: str) -> list[Campaign]:
    rows = Campaign.objects.select_related("wallet__account", "job").filter(status=status)
    return list(rows.order_by("pk")[:LIMIT])


def _due() -> list[Campaign]:
    rows = Campaign.objects.select_related("wallet__account", "job")
    due = rows.filter(status=Status.SCHEDULED, scheduled_at__lte=timezone.now())
    return list(due.order_by("scheduled_at")[:LIMIT])


def _take_up(campaign: Campaign) -> bool:
    """Start a new job for a sending campaign whose job ended; pause it if the job failed."""
    if campaign.job is not None and not campaign.job.ended:
        return False
    with transaction.atomic():
        found = running.locked(campaign)
        job = found.job
        if found.status != Status.SENDING or (job is not None and not job.ended):
            return False
        if job is not None and job.state in (Job.State.FAILED, Job.State.CANCELLED):
            return running.stop(found, Status.PAUSED, job.message or STOPPED)
        running.start_job(found, job.actor if job is not None else None)
    return True


def _end(campaign: Campaign) -> bool:
    """Close a campaign once all its messages have ended."""
    if not is_over(campaign):
        return False
    rows = Campaign.objects.filter(pk=campaign.pk, status=Status.SENT)
    with transaction.atomic():
        ended = bool(rows.update(status=Status.DONE, ended_at=timezone.now()))
        if ended:
            running.touch(campaign)
            webhook_events.campaign("campaign.completed", campaign, status=Status.DONE)
    return ended
