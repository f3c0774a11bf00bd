"""The incident of a queue without workers names no file."""

from typing import Any

from django.db import migrations

OLD = "Work sent to it is waiting. See the table of queues in docs/operations.md."
NEW = "Work sent to it is waiting."


def reword(apps: Any, schema_editor: Any) -> None:
    _change(apps, OLD, NEW)


def restore(apps: Any, schema_editor: Any) -> None:
    _change(apps, NEW, OLD)


def _change(apps: Any, old: str, new: str) -> None:
    incidents = apps.get_model("operations", "Incident").objects
    incidents.filter(detail_text=old).update(detail_text=new)


class Migration(migrations.Migration):
    dependencies = [("operations", "0005_incident_owner")]
    operations = [migrations.RunPython(reword, restore)]
