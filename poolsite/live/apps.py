"""Django's entry for poolsite.live."""

from django.apps import AppConfig


class LiveConfig(AppConfig):
    name = "poolsite.live"
    label = "live"
