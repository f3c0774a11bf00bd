"""Django's app configuration of the waiting line."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from poolsite.hotpath import Command


class LineConfig(AppConfig):
    name = "queueing.line"
    label = "line"
    verbose_name = _("Queueing")

    def ready(self) -> None:
        import queueing.line.desk.scripts
        import queueing.line.tasks
        import queueing.line.topics  # noqa: F401  registers the live topics
        from poolsite import console, history, timers
        from poolsite.api import problems
        from poolsite.runtime import demo_data
        from queueing.line import (
            cards,
            demo,
            desk,
            errors,
            menu,
            overview,
            rules,
            search,
            webhook_events,
        )
        from queueing.line.desk.keys import PREFIX
        from queueing.line.services.history_source import DESK_HISTORY

        def visit(slug: str) -> Command[desk.DeskSwept | None]:
            return desk.sweep(slug, heard_since_ms=timers.heard_since_ms())

        rules.register()
        webhook_events.register()
        console.register_sentences("queueing.line.sentences")
        console.register_goals("queueing.line.guide")
        problems.declare_all(errors.PROBLEMS, errors.OPERATIONS)
        for face in (menu, overview, search, cards):
            face.register()
        demo_data.register(60, demo.make_desk)
        demo_data.register_past(60, demo.fill_past)
        history.register(DESK_HISTORY)
        timers.register(timers.TimerKind("line.desk", prefix=PREFIX, visit=visit))
