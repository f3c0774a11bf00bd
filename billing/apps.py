"""Django's entry for billing."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class BillingConfig(AppConfig):
    name = "billing"
    label = "billing"
    verbose_name = _("Billing")

    def ready(self) -> None:
        import billing.services.campaigns_sweeping
        import billing.services.campaigns_upload
        import billing.services.sending
        import billing.services.terminals
        import billing.tasks
        import billing.topics  # noqa: F401  registers the live topics
        from billing import (
            demo,
            errors,
            health,
            menu,
            overview,
            rules,
            search,
            servers,
            undo_ways,
            wallet,
            webhook_events,
        )
        from billing.persistence.reading import positions
        from billing.recharging import reports
        from billing.selectors.lag import collect as lag_metrics
        from billing.services.books import persist_all
        from billing.services.recharge_reports import reported
        from poolsite import console, operations, timers
        from poolsite.api import problems
        from poolsite.backup import registry as backups
        from poolsite.runtime import demo_data

        timers.register(
            timers.TimerKind(
                "billing.wallet", "acct.", wallet.sweep, idle_seconds=wallet.VISIT_SECONDS
            )
        )
        timers.register_servers(servers.further)
        backups.register(backups.Books("billing.wallet", positions, persist_all))
        health.register()
        rules.register()
        webhook_events.register()
        menu.register()
        overview.register()
        search.register()
        undo_ways.register()
        console.register_sentences("billing.sentences")
        console.register_goals("billing.guide")
        problems.declare_all(errors.PROBLEMS, errors.OPERATIONS)
        operations.register_metrics("billing", lag_metrics)
        reports.handled_by(reported)
        demo_data.register(30, demo.make_billing)
        demo_data.register_past(10, demo.fill_campaign)
