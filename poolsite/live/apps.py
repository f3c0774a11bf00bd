"""Django's entry for poolsite.live."""

from django.apps import AppConfig


class LiveConfig(AppConfig):
    name = "poolsite.live"
    label = "live"

    def ready(self) -> None:
        """Declare the metrics of this process' sockets."""
        from poolsite import operations
        from poolsite.live.metrics import collect

        operations.register_metrics("live", collect)
