"""Django's entry for poolsite.access."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AccessConfig(AppConfig):
    name = "poolsite.access"
    label = "access"
    verbose_name = _("People and access")

    def ready(self) -> None:
        """Declare the actions of our own, the first pages, and what changes rights."""
        from poolsite import limits, operations  # noqa: F401  limits registers its script
        from poolsite.access import demo, errors, rules, search, signals
        from poolsite.api import problems
        from poolsite.runtime import demo_data

        demo_data.register(10, demo.make_people)
        rules.register()
        search.register()
        operations.register_sentences("poolsite.access.sentences")
        problems.declare_all(errors.PROBLEMS, errors.OPERATIONS)
        signals.connect()
