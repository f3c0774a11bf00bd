"""Django's entry for poolsite.runtime."""

from django.apps import AppConfig


class RuntimeConfig(AppConfig):
    name = "poolsite.runtime"
    label = "runtime"
