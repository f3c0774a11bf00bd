"""Django's entry for poolsite.operations."""

from django.apps import AppConfig


class OperationsConfig(AppConfig):
    name = "poolsite.operations"
    label = "operations"
