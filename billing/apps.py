"""Django's entry for billing."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class BillingConfig(AppConfig):
    name = "billing"
    label = "billing"
    verbose_name = _("Billing")

    def ready(self) -> None:
        import billing.tasks  # noqa: F401  registers the sweeps
        from billing import rules
        from billing.recharging import reports
        from billing.selectors.lag import collect as lag_metrics
        from billing.services.recharges import reported
        from poolsite import operations

        rules.register()
        operations.register_metrics("billing", lag_metrics)
        reports.handled_by(reported)
