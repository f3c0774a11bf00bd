"""The Django app configuration of poolsite.runtime."""

from django.apps import AppConfig


class RuntimeConfig(AppConfig):
    name = "poolsite.runtime"
    label = "runtime"
