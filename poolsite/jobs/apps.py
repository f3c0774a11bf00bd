"""The Django app configuration of poolsite.jobs."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class JobsConfig(AppConfig):
    name = "poolsite.jobs"
    label = "jobs"
    verbose_name = _("Jobs")

    def ready(self) -> None:
        """Register the access rules, the live topic, and the signals of presence and queues."""
        from poolsite.jobs import presence, queues, rules, topics

        rules.register()
        topics.register()
        presence.connect()
        queues.connect()
