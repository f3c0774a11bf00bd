"""`manage.py line`: verbs for desks: list, create, set, settings, widget, report."""

import json
from datetime import date
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from poolsite.console.commands import account_of
from poolsite.console.setting_options import (
    add_settings,
    changes_given,
    in_words,
    settings_given,
    told_changes,
    values_of,
)
from queueing.line.management.verbs import ACTOR, Options, Say, Verbs, add_reason, desk_of, queue_of
from queueing.line.models import Desk, Widget
from queueing.line.origins import read_origin
from queueing.line.selectors import reports
from queueing.line.selectors.desks import desk_rows
from queueing.line.selectors.report_data import report_as_data
from queueing.line.selectors.report_span import span_of
from queueing.line.selectors.widgets import widget_of
from queueing.line.services import desk_settings
from queueing.line.services import desks as use
from queueing.line.services import widgets as widget_use

LOOKS = ("colour", "side", "greeting")


def add(verbs: Verbs) -> None:
    """Add the verbs."""
    verbs.add("list", "list desks with their figures", _list)
    create = verbs.add("create", "create a desk", _create, "desk")
    create.add_argument("--account", default="", help="slug; default: the platform")
    add_settings(create, Desk, desk_settings.SETTINGS)
    change = verbs.add("set", "change a desk's settings", _set, "desk")
    add_reason(change)
    add_settings(change, Desk, desk_settings.SETTINGS)
    verbs.add("settings", "show a desk's settings", _settings, "desk")
    verbs.add("widget", "show the settings of a desk's chat widget", _widget, "desk")
    looks = verbs.add("widget-set", "change a desk's chat widget", _widget_set, "desk")
    looks.add_argument("--origin", action="append", dest="origins", help="a site; repeat for more")
    add_reason(looks)
    add_settings(looks, Widget, LOOKS)
    report = verbs.add("report", "print a desk's report as JSON", _report, "desk")
    report.add_argument("--by", choices=reports.GROUPS, default="time")
    report.add_argument("--from", dest="first", type=date.fromisoformat, help="2026-01-31")
    report.add_argument("--until", dest="last", type=date.fromisoformat, help="the last day")
    report.add_argument("--queue", default="", help="slug of one queue")


def _list(options: Options, say: Say) -> None:
    for row in desk_rows(list(Desk.objects.order_by("slug"))):
        figures = f"queues {row.queues}  waiting {row.waiting}  free {row.free}"
        say(f"{row.desk.slug}  {row.status}  {figures}  {row.desk.name}")


def _create(options: Options, say: Say) -> None:
    settings = settings_given(options, desk_settings.SETTINGS)
    desk = use.desk_create(
        actor=ACTOR,
        slug=options["desk"],
        account=account_of(options["account"]),
        **({"name": options["desk"]} | settings),
    )
    say(f"Desk {desk.slug} created. Create its first queue: manage.py line queue-create")


def _set(options: Options, say: Say) -> None:
    changes = changes_given(options, desk_settings.SETTINGS)
    desk = desk_of(options)
    before = values_of(desk, list(changes))
    desk_settings.desk_configure(actor=ACTOR, desk=desk, reason=options["reason"], **changes)
    _tell_changes(say, before, changes)


def _settings(options: Options, say: Say) -> None:
    for name, value in values_of(desk_of(options), desk_settings.SETTINGS).items():
        say(f"{name:<24}{in_words(value)}")


def _widget(options: Options, say: Say) -> None:
    for name, value in values_of(widget_of(desk_of(options)), widget_use.SETTINGS).items():
        say(f"{name:<24}{' '.join(value) if isinstance(value, list) else in_words(value)}")


def _widget_set(options: Options, say: Say) -> None:
    changes: dict[str, Any] = settings_given(options, LOOKS)
    if options["origins"] is not None:
        changes["origins"] = list(dict.fromkeys(map(read_origin, options["origins"])))
    if not changes:
        raise CommandError("Give at least one setting. See --help.")
    desk = desk_of(options)
    before = values_of(widget_of(desk), list(changes))
    widget_use.widget_configure(actor=ACTOR, desk=desk, reason=options["reason"], **changes)
    _tell_changes(say, before, changes)


def _tell_changes(say: Say, before: dict[str, Any], after: dict[str, Any]) -> None:
    for line in told_changes(before, after) or ["no changes"]:
        say(line)


def _report(options: Options, say: Say) -> None:
    desk, now = desk_of(options), timezone.now()
    span = span_of(desk, options["first"], options["last"], now)
    queue = queue_of(desk, options["queue"]) if options["queue"] else None
    say(json.dumps(report_as_data(desk, span, options["by"], queue=queue, now=now)))
