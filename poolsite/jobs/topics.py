"""The live topic of one job: `jobs.job:<id>`, in another language `jobs.job:<id>.zh-hans`."""

from typing import Any

from django.utils.translation import override

from poolsite import live
from poolsite.access import Decision, Principal, decide_found
from poolsite.jobs.models import Job
from poolsite.jobs.selectors import as_state
from poolsite.live.scopes import id_of, language_of


class JobTopic(live.SnapshotTopic):
    """A job's progress, with an estimate of the remaining time, from `selectors.as_state`."""

    name = "jobs.job"

    def __init__(self, key: str) -> None:
        super().__init__(key)
        number, self.language = language_of(key)
        self.job_id = id_of(number, "job")

    async def allowed(self, principal: Principal) -> Decision:
        return decide_found(principal, "jobs.view", await self._job())

    async def read(self) -> dict[str, Any]:
        job = await self._job()
        with override(self.language):
            return {} if job is None else as_state(job)

    def wake_channels(self) -> list[str]:
        """Return one wake channel for all languages."""
        return [live.touch_channel(f"{self.name}:{self.job_id}")]

    async def _job(self) -> Job | None:
        return await live.in_thread(Job.objects.filter(pk=self.job_id).first)


def register() -> None:
    """Register the topic. Called once in AppConfig.ready()."""
    live.register(JobTopic)
