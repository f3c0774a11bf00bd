"""Django's entry for the waiting line."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class LineConfig(AppConfig):
    name = "queueing.line"
    label = "line"
    verbose_name = _("Waiting line")

    def ready(self) -> None:
        import queueing.line.desk.scripts
        import queueing.line.tasks
        import queueing.line.topics  # noqa: F401  registers the live topics
        from poolsite import history
        from queueing.line import errors, menu, rules
        from queueing.line.services.history_source import DeskSource

        rules.register()
        errors.declare_problems()
        menu.register()
        history.register(DeskSource())
