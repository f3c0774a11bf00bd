"""The Django app poolsite.operations."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class OperationsConfig(AppConfig):
    name = "poolsite.operations"
    label = "operations"
    verbose_name = _("Operations")

    def ready(self) -> None:
        """Register the app's actions, topics, hot routes and parts of the console."""
        import poolsite.celery  # noqa: F401  so that tasks sent from here find our broker
        from poolsite import console, operations
        from poolsite.api import problems
        from poolsite.console import strings
        from poolsite.history.reporting import report_to
        from poolsite.live import metrics as live_metrics
        from poolsite.operations import (
            cards,
            checks,
            doctor,
            errors,
            history_alarms,
            hot_routes,
            menu,
            rules,
            search,
            topics,
            undo_ways,
        )
        from poolsite.operations.jobs import errors as job_errors
        from poolsite.operations.webhooks import own_types

        rules.register()
        menu.register()
        own_types.register()
        for each in (errors, job_errors):
            problems.declare_all(each.PROBLEMS, each.OPERATIONS)
        console.register_sentences("poolsite.operations.own_sentences")
        console.register_sentences("poolsite.operations.jobs.sentences")
        operations.register_metrics("live", live_metrics.collect)
        report_to(history_alarms.HistoryAlarms.load)
        checks.register()
        doctor.register()
        topics.register()
        hot_routes.register()
        strings.register()
        cards.register()
        search.register()
        undo_ways.register()
