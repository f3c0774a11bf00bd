"""Django's entry for poolsite.timers."""

from django.apps import AppConfig


class TimersConfig(AppConfig):
    name = "poolsite.timers"
    label = "timers"
