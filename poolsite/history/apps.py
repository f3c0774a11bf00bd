"""Django's entry for poolsite.history."""

from django.apps import AppConfig


class HistoryConfig(AppConfig):
    name = "poolsite.history"
    label = "history"

    def ready(self) -> None:
        import poolsite.history.stream  # noqa: F401  registers the scripts
