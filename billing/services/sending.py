"""Sending a campaign: a job in slices, which any worker can take over.

Message by message: ability → quote → intent in SQL → hold → sent → hand-over → recorded. Each step
can be repeated after a crash, because the message ID makes it harmless: the intent is stored, the
hold repeats, the gateway knows the ID. What a dead worker held and never marked as sent is returned
at the hold's own deadline. Such an ID is used up, so the message gets a new one.
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext_lazy, gettext_noop

from billing import gateways, servers
from billing.models import Campaign, Recipient
from billing.services import campaigns_running as running
from billing.services.days import day_start
from billing.services.sending_intents import prepare
from billing.services.sending_steps import (
    hold,
    mark_sent,
    record,
    refuse_opted_out,
    take_back,
)
from billing.services.sending_values import Held, Prepared, Recorded, Stop
from poolsite import jobs
from poolsite.hotpath import HotPath
from poolsite.jobs import JobHandle, Progress

CHUNK = 128
GROUP = 32  # marked as sent and handed over together; also the limit of one script
SLICE_SECONDS = 10.0  # then other jobs in the worker's queue have their turn
AGAIN_SECONDS = 15
NO_ANSWER = gettext_noop("The gateway isn't responding. Sending resumes automatically.")
Status = Campaign.Status


@jobs.kind(
    running.SEND_KIND, prefix="send", stale_seconds=60, title=gettext_lazy("Sending a campaign")
)
def send_campaign(job: JobHandle) -> Iterator[Progress]:
    """Send the waiting messages of the campaign `data["campaign"]`, for one slice of time."""
    rows = Campaign.objects.select_related("wallet__account", "template", "chatbot")
    campaign = rows.get(pk=job.data["campaign"])
    try:
        with _connected() as gateway:
            yield from Sending(job, campaign, gateway).run()
    except gateways.GatewayError as error:
        with job.chunk():
            running.stop(campaign, Status.PAUSED, str(error))


@dataclass
class Connected:
    """A gateway and the event loop in which it is used; the rest of a job is synchronous."""

    runner: asyncio.Runner
    gateway: gateways.Gateway

    def send(self, messages: list[gateways.Handover]) -> list[tuple[gateways.SubmitResult, str]]:
        """Hand over messages and wait for the answers."""
        return self.runner.run(self.gateway.send(messages))


@contextmanager
def _connected() -> Iterator[Connected]:
    with asyncio.Runner() as runner:
        gateway = gateways.open_gateway()
        runner.run(gateway.__aenter__())
        try:
            yield Connected(runner, gateway)
        finally:
            runner.run(gateway.__aexit__(None, None, None))


@dataclass
class Sending:
    """One slice of one campaign's sending, by one worker."""

    job: JobHandle
    campaign: Campaign
    gateway: Connected
    began: float = field(default_factory=time.monotonic)
    next_at: float = 0.0

    def run(self) -> Iterator[Progress]:
        """Send until the campaign is sent or stopped, or the slice ends."""
        while True:
            if self._stopped_by_clock():
                return
            rows = self._waiting()
            if not rows:
                with self.job.chunk():
                    running.stop(self.campaign, Status.SENT, "")
                return
            stop = self._chunk(rows)
            running.touch(self.campaign)
            yield self._progress()
            if stop is not None:
                self._stop(stop)
                return
            if not self._mine():
                return
            if time.monotonic() - self.began > SLICE_SECONDS:
                self._hand_on()
                return

    def _waiting(self) -> list[Recipient]:
        rows = self.campaign.recipients.filter(state=Recipient.State.WAITING)
        return list(rows.order_by("row")[:CHUNK])

    def _mine(self) -> bool:
        """Whether the campaign is still to be sent, and by this job."""
        mine = Campaign.objects.filter(pk=self.campaign.pk, status=Status.SENDING)
        return mine.filter(job_id=self.job.id).exists()

    def _stopped_by_clock(self) -> bool:
        end = running.quiet_hours(self.campaign).end(timezone.now())
        if end is None:
            return not self._mine()
        with self.job.chunk():
            running.stop(self.campaign, Status.SCHEDULED, running.QUIET, end)
        return True

    def _chunk(self, rows: list[Recipient]) -> Stop | None:
        """Take some recipients through every step.

        Return why nothing more may be sent now, or None.
        """
        rows = refuse_opted_out(self.job, self.campaign, rows)
        held = Held()
        prepared = prepare(self.job, self.campaign, rows, held)
        path = servers.path(self.campaign.wallet)
        hold(path, self.campaign, prepared, held)
        size = min(GROUP, self.campaign.chatbot.rate_limit or GROUP)
        for start in range(0, len(held.ready), size):
            if start and not self._mine():
                self._leave(path, held.ready[start:])
                break
            group = mark_sent(path, self.campaign, held.ready[start : start + size], held.recorded)
            self._pace(len(group))
            self._hand_over(group, held.recorded)
            if held.recorded.unanswered:
                held.stop = Stop(Status.SCHEDULED, NO_ANSWER, again=True)
                break
        record(self.job, path, self.campaign, held.recorded)
        return held.stop

    def _leave(self, path: HotPath, left: list[Prepared]) -> None:
        """Return the money held for a cancelled campaign now.

        The holds of a paused campaign end at their deadline.
        """
        if Campaign.objects.filter(pk=self.campaign.pk, status=Status.CANCELLED).exists():
            take_back(path, self.campaign, left)

    def _pace(self, count: int) -> None:
        """Keep to the chatbot's rate limit: wait until these messages may go."""
        rate = self.campaign.chatbot.rate_limit
        if not rate:
            return
        now = time.monotonic()
        time.sleep(max(0.0, self.next_at - now))
        self.next_at = max(now, self.next_at) + count / rate

    def _hand_over(self, group: list[Prepared], recorded: Recorded) -> None:
        messages = [each.handover(self.campaign) for each in group]
        answers = self.gateway.send(messages)
        for each, (answer, reason) in zip(group, answers, strict=True):
            if answer is gateways.SubmitResult.TAKEN:
                recorded.taken.append(each)
            elif answer is gateways.SubmitResult.REFUSED:
                recorded.refused.append((each, reason))
            else:
                recorded.unanswered.append(each)

    def _progress(self) -> Progress:
        waiting = self.campaign.recipients.filter(state=Recipient.State.WAITING).count()
        total = self.campaign.accepted
        return Progress(total - waiting, total)

    def _stop(self, stop: Stop) -> None:
        with self.job.chunk():
            running.stop(self.campaign, stop.status, stop.reason, self._until(stop))

    def _until(self, stop: Stop) -> datetime | None:
        if stop.again:
            return timezone.now() + timedelta(seconds=AGAIN_SECONDS)
        if stop.tomorrow:
            account = self.campaign.wallet.account
            return day_start(account, day_start(account) + timedelta(hours=36))
        return None

    def _hand_on(self) -> None:
        """End this slice; a new job goes to the end of the workers' queue."""
        with self.job.chunk():
            found = running.locked(self.campaign)
            if found.status == Status.SENDING and found.job_id == self.job.id:
                running.start_job(found, self.job.actor)
