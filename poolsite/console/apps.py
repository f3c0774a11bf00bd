"""Django's entry for poolsite.console, which has no models: template tags and static pages."""

from django.apps import AppConfig


class ConsoleConfig(AppConfig):
    name = "poolsite.console"
    label = "console"
