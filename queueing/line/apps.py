"""Django's entry for the waiting line."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class LineConfig(AppConfig):
    name = "queueing.line"
    label = "line"
    verbose_name = _("Waiting line")

    def ready(self) -> None:
        import queueing.line.desk.scripts  # noqa: F401  registers the scripts
