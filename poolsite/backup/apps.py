"""Django's app configuration of poolsite.backup."""

from django.apps import AppConfig


class BackupConfig(AppConfig):
    name = "poolsite.backup"
    label = "backup"
