"""Django's app configuration of poolsite.history."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class HistoryConfig(AppConfig):
    name = "poolsite.history"
    label = "history"
    verbose_name = _("System events")

    def ready(self) -> None:
        import poolsite.history.stream  # noqa: F401  registers the scripts
