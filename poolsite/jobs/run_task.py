"""The Celery task that runs a job."""

from celery import shared_task

from poolsite.jobs import runner


@shared_task(name="jobs.run", ignore_result=True)
def run_job(job_id: int) -> None:
    """Take a job and run it until it ends or is taken over."""
    runner.run(job_id)
