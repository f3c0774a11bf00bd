"""Django's entry for poolsite.history."""

from django.apps import AppConfig


class HistoryConfig(AppConfig):
    name = "poolsite.history"
    label = "history"
