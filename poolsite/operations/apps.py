"""Django's entry for poolsite.operations."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class OperationsConfig(AppConfig):
    name = "poolsite.operations"
    label = "operations"
    verbose_name = _("Operations")

    def ready(self) -> None:
        """Declare actions, topics, hot routes and what stands on the overview."""
        from poolsite import operations
        from poolsite.api import problems
        from poolsite.operations import (
            cards,
            checks,
            doctor,
            errors,
            hot_routes,
            rules,
            search,
            strings,
            topics,
            undo_ways,
        )
        from poolsite.operations.webhooks import own_types

        rules.register()
        own_types.register()
        problems.declare_all(errors.PROBLEMS, errors.OPERATIONS)
        operations.register_sentences("poolsite.operations.own_sentences")
        checks.register()
        doctor.register()
        topics.register()
        hot_routes.register()
        strings.register()
        cards.register()
        search.register()
        undo_ways.register()
