"""Django's entry for poolsite.access."""

from django.apps import AppConfig


class AccessConfig(AppConfig):
    name = "poolsite.access"
    label = "access"
