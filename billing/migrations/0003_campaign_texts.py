"""Campaigns keep message ids: those of the release before, in the words of this one."""

from typing import Any

from django.db import migrations

TEXTS = {
    "Quiet hours; it goes on by itself.": "Quiet hours. Sending resumes automatically.",
    "Its work was stopped.": "The sending job was stopped.",
    "The gateway does not answer; it goes on by itself.": "The gateway isn't responding. Sending resumes automatically.",
    "Another message has this id": "Another message has this ID",
    "The wallet cannot be used; it goes on by itself.": "The balance can't be used right now. Sending resumes automatically.",
    "The daily limit is reached; it goes on tomorrow by itself.": "The daily limit is reached. Sending resumes automatically tomorrow.",
    "The account is being recovered; it goes on by itself.": "The account is being recovered. Sending resumes automatically.",
    "Too much waits to be written; it goes on by itself.": "Too many entries are waiting to be written. Sending resumes automatically.",
}


def reword(apps: Any, schema_editor: Any) -> None:
    _change(apps, TEXTS)


def restore(apps: Any, schema_editor: Any) -> None:
    _change(apps, {new: old for old, new in TEXTS.items()})


def _change(apps: Any, texts: dict[str, str]) -> None:
    for model, field in (("Campaign", "status_reason"), ("Recipient", "error")):
        rows = apps.get_model("billing", model).objects
        for kept in set(rows.values_list(field, flat=True).distinct()) & set(texts):
            rows.filter(**{field: kept}).update(**{field: texts[kept]})


class Migration(migrations.Migration):
    dependencies = [("billing", "0002_wording")]
    operations = [migrations.RunPython(reword, restore)]
