"""The Django app of the dispatcher."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class DispatchConfig(AppConfig):
    name = "queueing.dispatch"
    label = "dispatch"
    verbose_name = _("Dispatcher")

    def ready(self) -> None:
        import queueing.dispatch.dispatcher.scripts
        import queueing.dispatch.tasks
        import queueing.dispatch.topics  # noqa: F401  registers the live topics
        from poolsite import console, history, timers
        from poolsite.api import problems
        from poolsite.runtime import demo_data
        from queueing.dispatch import (
            cards,
            demo,
            dispatcher,
            errors,
            menu,
            overview,
            rules,
            search,
            webhook_events,
        )
        from queueing.dispatch.dispatcher.keys import PREFIX
        from queueing.dispatch.services.history_source import GROUP_HISTORY

        rules.register()
        webhook_events.register()
        console.register_sentences("queueing.dispatch.sentences")
        console.register_goals("queueing.dispatch.guide")
        problems.declare_all(errors.PROBLEMS, errors.OPERATIONS)
        for face in (menu, overview, search, cards):
            face.register()
        history.register(GROUP_HISTORY)
        timers.register(
            timers.TimerKind(
                "dispatch.group",
                prefix=PREFIX,
                visit=dispatcher.sweep,
                idle_seconds=dispatcher.VISIT_SECONDS,
            )
        )
        demo_data.register(50, demo.make_group)
