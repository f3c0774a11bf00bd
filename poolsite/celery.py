"""The Celery application: workers and beat start with `celery -A poolsite`."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "poolsite.settings")

app = Celery("poolsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
