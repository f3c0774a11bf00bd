"""Django's entry for billing."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class BillingConfig(AppConfig):
    name = "billing"
    label = "billing"
    verbose_name = _("Billing")

    def ready(self) -> None:
        from billing import rules

        rules.register()
