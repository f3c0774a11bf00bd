"""`manage.py line`: verbs for queues: settings, hours, topics, closures."""

import json
from argparse import ArgumentParser
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from poolsite.console.setting_options import (
    add_settings,
    in_words,
    settings_given,
    told_changes,
    values_of,
)
from queueing.line.forms.fields import hours_as_text, read_hours
from queueing.line.management.verbs import (
    ACTOR,
    Options,
    Say,
    Verbs,
    add_reason,
    desk_of,
    pairs_of,
    queue_of,
)
from queueing.line.models import Closure, Desk, Queue, Topic
from queueing.line.services import desk_settings, desks, hours, routing

SETTINGS = desks.QUEUE_SETTINGS


def add(verbs: Verbs) -> None:
    """Add the verbs."""
    verbs.add("queues", "list a desk's queues", _list, "desk")
    verbs.add("queue", "show a queue's settings", _show, "desk", "queue")
    _settings(verbs.add("queue-create", "create a queue", _create, "desk", "queue"))
    change = verbs.add("queue-set", "change a queue's settings", _set, "desk", "queue")
    _settings(change)
    add_reason(change)
    verbs.add("topics", "print a queue's topics as JSON", _topics, "desk", "queue")
    topics = verbs.add("topics-set", "replace a queue's topics", _set_topics, "desk", "queue")
    topics.add_argument("file", type=Path, help="JSON, in the form that `topics` prints")
    add_reason(topics)
    verbs.add("closures", "list days with other hours", _closures, "desk")
    closure = verbs.add("closure-set", "close a queue on a day", _close, "desk")
    closure.add_argument("day", type=date.fromisoformat, help="2026-12-24")
    closure.add_argument("queues", nargs="*", help="default: all queues of the desk")
    closure.add_argument("--hours", default="", help="09:00-14:00; default: closed all day")
    closure.add_argument("--text", default="", help="shown to visitors")
    closure.add_argument("--yearly", action="store_true", help="repeat every year")
    gone = verbs.add("closure-remove", "remove a day with other hours", _reopen, "desk", "queue")
    gone.add_argument("day", type=date.fromisoformat)


def _settings(parser: ArgumentParser) -> None:
    add_settings(parser, Queue, SETTINGS)
    parser.add_argument("--overflow", help='slug of the overflow queue; "": none')
    parser.add_argument(
        "--hours",
        action="append",
        metavar="DAY=HOURS",
        help="weekday (0 is Monday) and hours: 0=09:00-12:00,13:00-18:00; repeat for each day",
    )
    parser.add_argument("--always-open", action="store_true", help="remove the hours")


def _list(options: Options, say: Say) -> None:
    for queue in desk_of(options).queues.select_related("desk__account"):
        state = "open" if hours.is_open(queue) else "closed"
        say(f"{queue.slug}  {state}  {queue.mode}  {queue.name}")


def _show(options: Options, say: Say) -> None:
    queue = queue_of(desk_of(options), options["queue"])
    for name, value in values_of(queue, SETTINGS).items():
        say(f"{name:<30}{in_words(value)}")
    say(f"{'overflow':<30}{queue.overflow.slug if queue.overflow is not None else '(none)'}")
    for day, spans in hours.join_at_midnight(queue.hours).items():
        say(f"{f'hours {day}':<30}{hours_as_text(spans)}")


def _create(options: Options, say: Say) -> None:
    desk = desk_of(options)
    settings = {"name": options["queue"]} | _given(desk, options)
    queue = desks.queue_create(actor=ACTOR, desk=desk, slug=options["queue"], **settings)
    say(f"Queue {queue.slug} created. Its page is /q/{queue.slug}/.")


def _set(options: Options, say: Say) -> None:
    desk = desk_of(options)
    queue, changes = queue_of(desk, options["queue"]), _given(desk, options)
    if not changes:
        raise CommandError("Give at least one setting. See --help.")
    before = values_of(queue, list(changes))
    desks.queue_configure(actor=ACTOR, queue=queue, reason=options["reason"], **changes)
    for line in told_changes(before, changes) or ["no changes"]:
        say(line)


def _given(desk: Desk, options: Options) -> dict[str, Any]:
    given = settings_given(options, SETTINGS)
    if options["overflow"] is not None:
        given["overflow"] = queue_of(desk, options["overflow"]) if options["overflow"] else None
    if options["always_open"]:
        given["hours"] = {}
    elif options["hours"]:
        given["hours"] = hours.split_at_midnight(dict(map(_day, options["hours"])))
    return given


def _day(text: str) -> tuple[str, list[list[str]]]:
    day, _equals, spans = text.partition("=")
    if day not in list("0123456") or not spans:
        raise CommandError(f"{text}: give the hours as 0=09:00-18:00.")
    return day, read_hours(spans, over_midnight=True)


def _topics(options: Options, say: Say) -> None:
    topics = routing.topics_of(queue_of(desk_of(options), options["queue"]))
    say(json.dumps([topic.as_data() for topic in topics], ensure_ascii=False, indent=1))


def _set_topics(options: Options, say: Say) -> None:
    desk = desk_of(options)
    queue = queue_of(desk, options["queue"])
    try:
        rows = json.loads(options["file"].read_text())
        topics = [_topic(desk, row) for row in rows]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise CommandError(f"{options['file']} has no list of topics: {error}") from None
    routing.topics_save(actor=ACTOR, queue=queue, topics=topics, reason=options["reason"])
    say(f"{queue.slug}: {len(topics)} topics")


def _topic(desk: Desk, row: dict[str, Any]) -> Topic:
    return Topic(
        text=" ".join(str(row["text"]).split()),
        texts={str(code): str(text) for code, text in row.get("texts", {}).items()},
        target=queue_of(desk, str(row["queue"])) if row.get("queue") else None,
        skills=pairs_of((f"{name}={level}" for name, level in row.get("skills", {}).items()), ""),
        priority=int(row.get("class", routing.ORDINARY)),
    )


def _closures(options: Options, say: Say) -> None:
    rows = Closure.objects.filter(queue__desk=desk_of(options)).select_related("queue")
    for row in rows.order_by("day", "queue__slug"):
        told = hours_as_text(row.hours) or "closed"
        say(f"{row.day}  {row.queue.slug}  {told}  {'every year  ' * row.yearly}{row.text}")


def _close(options: Options, say: Say) -> None:
    desk = desk_of(options)
    named = [queue_of(desk, slug) for slug in options["queues"]]
    count = desk_settings.closures_import(
        actor=ACTOR,
        queues=named or list(desk.queues.select_related("desk__account")),
        days=[(options["day"], read_hours(options["hours"]), options["text"])],
        yearly=options["yearly"],
    )
    say(f"{desk.slug}: {count} day set")


def _reopen(options: Options, say: Say) -> None:
    queue = queue_of(desk_of(options), options["queue"])
    closure = Closure.objects.select_related("queue__desk__account").filter(queue=queue)
    found = closure.filter(day=options["day"]).first()
    if found is None:
        raise CommandError(f"{queue.slug} has no hours of its own on {options['day']}.")
    desk_settings.closure_delete(actor=ACTOR, closure=found)
    say(f"{queue.slug}: {options['day']} removed")
