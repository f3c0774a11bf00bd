"""`manage.py pool switch add|set|list`: the switches of a pool and their kinds."""

from collections.abc import Callable
from typing import Any

from django.core.management.base import CommandError

from numbers import services
from numbers.models import Pool, Switch, SwitchKind
from numbers.selectors.switches import switches_of

ACTOR = "manage.py pool"
Say = Callable[[str], object]
KIND_HELP = "media: a restart ends its calls (FreeSWITCH); proxy: calls continue (Kamailio)"


def add_verb(verbs: Any, say: Say) -> None:
    """Add the verb `switch` and its own verbs to the command's parser."""
    parser = verbs.add_parser("switch", help="add a switch, set its type, or list switches")
    its = parser.add_subparsers(dest="switch_verb", required=True, metavar="verb")
    for verb, told in (
        ("add", "add a switch; its token is shown once"),
        ("set", "set the type of a switch"),
        ("list", "list names, types, and when each was last heard from"),
    ):
        one = its.add_parser(verb, help=told)
        one.add_argument("slug")
        if verb != "list":
            one.add_argument("name")
            given: dict[str, Any] = (
                {"required": True} if verb == "set" else {"default": SwitchKind.PROXY.value}
            )
            one.add_argument("--kind", choices=SwitchKind.values, help=KIND_HELP, **given)
        one.set_defaults(run=lambda options: _RUNS[options["switch_verb"]](options, say))


def _add(options: dict[str, Any], say: Say) -> None:
    switch, secret = services.switch_create(
        actor=ACTOR, pool=_pool(options), name=options["name"], kind=options["kind"]
    )
    say(f"Switch {switch.name} added as {switch.kind}.")
    say(f"Token (shown only once): {secret}")


def _set(options: dict[str, Any], say: Say) -> None:
    switch = Switch.objects.select_related("pool").filter(pool=_pool(options), name=options["name"])
    found = switch.first()
    if found is None:
        raise CommandError(f"Switch {options['name']!r} not found in this pool.")
    found = services.switch_configure(actor=ACTOR, switch=found, kind=options["kind"])
    say(f"{found.name} is now {found.kind}. This takes effect at its next restart.")


def _list(options: dict[str, Any], say: Say) -> None:
    rows = switches_of(_pool(options))
    if not rows:
        say(f"No switches yet. Add one: manage.py pool switch add {options['slug']} <name>")
    for switch in rows:
        chosen = "" if switch.kind_chosen else "  (not chosen yet)"
        heard = f"{switch.last_heard:%Y-%m-%d %H:%M:%S}" if switch.last_heard else "never heard"
        say(f"  {switch.name:<24} {switch.kind:<6} {heard}{chosen}")


_RUNS = {"add": _add, "set": _set, "list": _list}


def _pool(options: dict[str, Any]) -> Pool:
    slug = options["slug"]
    found = Pool.objects.select_related("account").filter(slug=slug).first()
    if found is None:
        raise CommandError(f"Pool {slug!r} not found. To create it: manage.py pool create {slug}")
    return found
