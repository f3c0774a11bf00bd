"""Incidents are assigned and resolved; their texts fit one as well as many."""

from typing import Any

from django.db import migrations

TEXTS = {
    "%(count)s migrations are not applied": "Migrations not applied: %(count)s",
    "%(count)s runs in the last 5 minutes were too late and were skipped.": "Late runs skipped in the last 5 minutes: %(count)s.",
    "%(fronts)s front-ends are linked. New sessions are refused.": "New sessions are refused. Linked front-ends: %(fronts)s.",
    "%(name)s: %(status)s, %(sessions)s sessions left.": "%(name)s: %(status)s. Sessions left: %(sessions)s.",
    "In the last 5 minutes, %(late)s results arrived after their permit had ended.": "Late results in the last 5 minutes: %(late)s. Each arrived after its permit had ended.",
    "In the last 5 minutes, %(late)s results arrived after their permit had ended, and the external system counted more than the concurrency limit %(over)s times (last count: %(told)s).": "Late results in the last 5 minutes: %(late)s. Counts of the external system above the concurrency limit: %(over)s (last count: %(told)s).",
    "%(count)s entries never reached SQL. The timeline shows the gap.": "The timeline shows the gap. Entries that never reached SQL: %(count)s.",
    "%(count)s duplicate numbers": "Duplicate numbers: %(count)s",
    "%(count)s numbers are out of use. Latest: %(number)s, %(why)s.": "Numbers out of use: %(count)s. Latest: %(number)s, %(why)s.",
    "API token %(token)s expires in %(days)s days": "API token %(token)s expires soon",
    "Requests with this token will then be refused.": "Days left: %(days)s. Requests with this token will then be refused.",
    "labelled as spam by %(value)s sources": "spam label sources: %(value)s",
}


def reword(apps: Any, schema_editor: Any) -> None:
    _change(apps, TEXTS)


def restore(apps: Any, schema_editor: Any) -> None:
    _change(apps, {new: old for old, new in TEXTS.items()})


def _change(apps: Any, texts: dict[str, str]) -> None:
    incidents = apps.get_model("operations", "Incident").objects
    for field in ("title_text", "detail_text", "remedy_text"):
        for kept in set(incidents.values_list(field, flat=True).distinct()) & set(texts):
            incidents.filter(**{field: kept}).update(**{field: texts[kept]})
    for row in incidents.filter(type="numbers.health_rule"):
        why = row.params.get("why")  # a value that is a text itself
        if isinstance(why, dict) and why.get("text") in texts:
            why["text"] = texts[why["text"]]
            row.save(update_fields=["params"])


class Migration(migrations.Migration):
    dependencies = [("operations", "0004_incident_events")]
    operations = [
        migrations.RunPython(reword, restore),
    ]
