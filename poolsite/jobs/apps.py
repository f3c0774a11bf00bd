"""Django's entry for poolsite.jobs."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class JobsConfig(AppConfig):
    name = "poolsite.jobs"
    label = "jobs"
    verbose_name = _("Jobs")

    def ready(self) -> None:
        """Declare who may see and stop a job, its topic, and the workers' presence."""
        import poolsite.celery  # noqa: F401  so that tasks sent from here find our broker
        from poolsite import operations
        from poolsite.api import problems
        from poolsite.jobs import errors, presence, queues, rules, topics

        rules.register()
        problems.declare_all(errors.PROBLEMS, errors.OPERATIONS)
        operations.register_sentences("poolsite.jobs.sentences")
        topics.register()
        presence.connect()
        queues.connect()
