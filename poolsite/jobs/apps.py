"""Django's entry for poolsite.jobs."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class JobsConfig(AppConfig):
    name = "poolsite.jobs"
    label = "jobs"
    verbose_name = _("Jobs")

    def ready(self) -> None:
        """Declare who may see and stop a job, its topic, and the workers' presence."""
        from poolsite.jobs import presence, queues, rules, topics

        rules.register()
        topics.register()
        presence.connect()
        queues.connect()
