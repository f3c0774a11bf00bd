"""Django's configuration of the app of number pools."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class NumbersConfig(AppConfig):
    name = "numbers"
    label = "numbers"
    verbose_name = _("Numbers")

    def ready(self) -> None:
        import numbers.bulk_jobs
        import numbers.imports.kinds
        import numbers.pool.scripts
        import numbers.tasks
        import numbers.topics  # noqa: F401  registers the live topics
        from numbers import demo, errors, menu, overview, pool, rules, search, webhook_events
        from numbers.services.history_source import POOL_HISTORY
        from poolsite import console, history, timers
        from poolsite.api import problems
        from poolsite.runtime import demo_data

        rules.register()
        webhook_events.register()
        console.register_sentences("numbers.sentences")
        console.register_goals("numbers.guide")
        problems.declare_all(errors.PROBLEMS, errors.OPERATIONS)
        for face in (overview, search, menu):
            face.register()
        history.register(POOL_HISTORY)
        timers.register(
            timers.TimerKind(
                "numbers.pool", prefix="", visit=pool.sweep, idle_seconds=pool.VISIT_SECONDS
            )
        )
        demo_data.register(20, demo.make_pools)
        demo_data.register_past(20, demo.fill_past)
