"""Django's entry for poolsite.access."""

from django.apps import AppConfig


class AccessConfig(AppConfig):
    name = "poolsite.access"
    label = "access"

    def ready(self) -> None:
        """Declare the actions of our own, the first pages, and what changes rights."""
        from poolsite.access import rules, signals

        rules.register()
        signals.connect()
