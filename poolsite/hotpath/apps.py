"""Django's entry for poolsite.hotpath."""

from django.apps import AppConfig


class HotpathConfig(AppConfig):
    name = "poolsite.hotpath"
    label = "hotpath"
