"""Django's app configuration of poolsite.access."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AccessConfig(AppConfig):
    name = "poolsite.access"
    label = "access"
    verbose_name = _("People and access")

    def ready(self) -> None:
        """Register this app's actions and connect the signals of changes to rights."""
        from poolsite import limits  # noqa: F401  registers its script
        from poolsite.access import rules, signals

        rules.register()
        signals.connect()
