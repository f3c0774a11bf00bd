"""What Celery runs for jobs and sweeps."""

from celery import shared_task

from poolsite.jobs import runner, services, sweeping
from poolsite.jobs.registry import sweep


@shared_task(name="jobs.run", ignore_result=True)
def run_job(job_id: int) -> None:
    """Take a job and run it until it ends, or is taken over."""
    runner.run(job_id)


@shared_task(name="jobs.tick", ignore_result=True)
def tick(name: str) -> None:
    """A beat's tick: the first of all beats in this period starts the sweep's shards."""
    for shard in sweeping.win_tick(name):
        run_shard.apply_async((name, shard), expires=sweeping.expiry_seconds(name))


@shared_task(name="jobs.shard", ignore_result=True)
def run_shard(name: str, shard: int) -> None:
    """Run one shard of a sweep, unless another worker is at it."""
    sweeping.run_shard(name, shard)


@sweep("jobs.resume", every_seconds=10)
def resume(shard: int, shards: int) -> dict[str, int]:
    """Bring silent jobs back to a worker."""
    return services.resume_stale()
