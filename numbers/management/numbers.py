"""`manage.py pool number …` and `pool calls`: a pool's numbers, as in the API and on the pages."""

from typing import Any

from numbers import selectors, services
from numbers.management.common import (
    ACTOR,
    Say,
    add_reason,
    add_run,
    number_named,
    pool_named,
)
from numbers.models import CallRecord
from numbers.reason_words import sentence_of
from numbers.selectors.lists import pool_numbers
from numbers.selectors.records import pool_calls
from numbers.selectors.spellings import numbers_of_pool
from numbers.services.adding_many import ToAdd, numbers_add_each
from numbers.services.bulk import VERBS, bulk_apply

SHOWN = 100
HELP = {
    "quarantine": "stop using numbers for new calls",
    "release": "end the quarantine of numbers",
    "move": "move numbers to another pool",
    "hangup": "end the calls of numbers and free them",
    "delete": "remove numbers from the pool",
}


def add_verbs(verbs: Any, say: Say) -> None:
    """Add the verbs to the command's parser."""
    parser = verbs.add_parser("number", help="list, add, change, quarantine and delete numbers")
    its = parser.add_subparsers(dest="number_verb", required=True, metavar="verb")
    _add_list(its, say)
    _add_adding(its, say)
    change = its.add_parser("change", help="change the label, notes, region, carrier or tags")
    change.add_argument("slug")
    change.add_argument("number")
    for name in ("label", "notes", "region", "carrier"):
        change.add_argument(f"--{name}", default=None)
    change.add_argument(
        "--tag", action="append", default=None, help="replaces all tags; repeatable"
    )
    add_reason(change)
    add_run(change, _change, say)
    for verb in VERBS:
        one = its.add_parser(verb, help=HELP[verb])
        one.add_argument("slug")
        one.add_argument("numbers", nargs="+", metavar="number")
        if verb == "move":
            one.add_argument("--to", required=True, help="slug of the pool to move to")
        add_reason(one, needed=True)
        add_run(one, _many, say)
    calls = verbs.add_parser("calls", help="list the latest calls of a pool")
    calls.add_argument("slug")
    for name in ("number", "agent", "callee", "call-id"):
        calls.add_argument(f"--{name}", default="")
    calls.add_argument("--limit", type=int, default=SHOWN)
    add_run(calls, _calls, say)


def _add_list(its: Any, say: Say) -> None:
    shown = its.add_parser("list", help="list numbers with their current states")
    shown.add_argument("slug")
    shown.add_argument("--q", default="", help="the first digits")
    for name in ("region", "carrier", "tag"):
        shown.add_argument(f"--{name}", default="")
    shown.add_argument("--quarantined", action="store_true", default=None)
    shown.add_argument("--limit", type=int, default=SHOWN)
    add_run(shown, _list, say)


def _add_adding(its: Any, say: Say) -> None:
    add = its.add_parser("add", help="add numbers")
    add.add_argument("slug")
    add.add_argument("numbers", nargs="+", metavar="number")
    range_ = its.add_parser("range", help="add every number from the first to the last")
    for name in ("slug", "first", "last"):
        range_.add_argument(name)
    for parser, run in ((add, _add), (range_, _range)):
        for name in ("label", "region"):
            parser.add_argument(f"--{name}", default="")
        parser.add_argument("--tag", action="append", default=[], help="repeatable")
        add_reason(parser)
        add_run(parser, run, say)


def _list(options: dict[str, Any], say: Say) -> None:
    names = ("q", "region", "carrier", "tag", "quarantined")
    pool = pool_named(options["slug"])
    rows = pool_numbers(pool, **{name: options[name] for name in names})
    for listed in selectors.with_live(list(rows.order_by("value")[: options["limit"]])):
        row, live = listed.number, listed.live
        state = live.name if live is not None else "nodata"
        held = f"  quarantined: {row.quarantined_reason}" if row.quarantined_at else ""
        say(f"{row.value:<18} {state:<10} {row.label}{held}")


def _add(options: dict[str, Any], say: Say) -> None:
    tags = tuple(options["tag"])
    items = [
        ToAdd(number, label=options["label"], region=options["region"], tags=tags)
        for number in options["numbers"]
    ]
    answers = numbers_add_each(
        actor=ACTOR, pool=pool_named(options["slug"]), items=items, reason=options["reason"]
    )
    for each in answers:
        say(f"{each.number}: {each.why or 'added'}")


def _range(options: dict[str, Any], say: Say) -> None:
    done = services.number_add_range(
        actor=ACTOR,
        pool=pool_named(options["slug"]),
        first=options["first"],
        last=options["last"],
        label=options["label"],
        region=options["region"],
        tags=options["tag"],
        reason=options["reason"],
    )
    left = len(done.here) + len(done.elsewhere) + len(done.in_call)
    say(f"{len(done.added):,} numbers added, {left:,} left out.")


def _change(options: dict[str, Any], say: Say) -> None:
    row = services.number_change(
        actor=ACTOR,
        number=number_named(pool_named(options["slug"]), options["number"]),
        tags=options["tag"],
        reason=options["reason"],
        **{name: options[name] for name in ("label", "notes", "region", "carrier")},
    )
    say(f"{row.value} changed.")


def _many(options: dict[str, Any], say: Say) -> None:
    pool = pool_named(options["slug"])
    rows, missing = numbers_of_pool(pool, options["numbers"])
    done = bulk_apply(
        actor=ACTOR,
        verb=options["number_verb"],
        numbers=rows,
        reason=options["reason"],
        target=pool_named(options["to"]) if "to" in options else None,
    )
    for text in missing:
        say(f"{text}: not in this pool")
    for value, why in done.stayed.items():
        say(f"{value}: {sentence_of(why)}")
    say(f"{done.changed:,} numbers changed.")


def _calls(options: dict[str, Any], say: Say) -> None:
    pool = pool_named(options["slug"])
    number = number_named(pool, options["number"]).value if options["number"] else ""
    names = ("agent", "callee", "call_id")
    rows = pool_calls(pool, number=number, **{name: options[name] for name in names})
    for call in rows.order_by("-pk")[: options["limit"]]:
        say(_line(call))


def _line(call: CallRecord) -> str:
    ended = f"{call.ended_at:%H:%M:%S} {call.ended_how}" if call.ended_at else "in progress"
    parties = f"{call.agent or '-':<16} {call.callee or '-':<18}"
    return f"{call.started_at:%Y-%m-%d %H:%M:%S}  {call.number:<18} {parties} {ended}"
