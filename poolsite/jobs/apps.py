"""Django's entry for poolsite.jobs."""

from django.apps import AppConfig


class JobsConfig(AppConfig):
    name = "poolsite.jobs"
    label = "jobs"
