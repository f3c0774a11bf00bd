"""`manage.py dispatch`: groups, instances, sessions and upgrades from the command line."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from poolsite import hotpath
from poolsite.aggregates.commands import add_create, add_set
from poolsite.console.commands import VerbCommand, account_of, moment_of_text
from poolsite.console.setting_options import in_words, settings_given, values_of
from poolsite.moments import moment_of, us_of
from queueing.dispatch import dispatcher as commands
from queueing.dispatch import selectors, services
from queueing.dispatch.management import peer_verbs, upgrade_verbs
from queueing.dispatch.management.common import ACTOR, group_named, group_of
from queueing.dispatch.models import Group, Instance
from queueing.dispatch.services.groups import SETTINGS

DRIFT = 1


class Command(VerbCommand):
    """Creates, configures, shows, checks and deletes groups. Other modules add the other verbs."""

    help = (
        "Dispatcher: list, create, set, show, delete, events, check; open, drain, block, forget, "
        "disconnect, backup, primary, uneject; sessions, explain, end-session; upgrade, upgrades, "
        "force, abort."
    )
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="verb")
        verbs.add_parser("list", help="list groups with their figures").set_defaults(run=self._list)
        add_create(verbs, "create a group", Group, SETTINGS, self._create)
        add_set(
            *(verbs, Group, SETTINGS, group_named),
            lambda group, reason, changes: services.group_configure(
                actor=ACTOR, group=group, reason=reason, **changes
            ),
            self._say,
        )
        show = verbs.add_parser(
            "show", help="show a group's figures, settings, instances and front-ends"
        )
        show.add_argument("slug")
        show.set_defaults(run=self._show)
        delete = verbs.add_parser("delete", help="delete a group whose peers have stopped")
        delete.add_argument("slug")
        delete.add_argument("--reason", required=True)
        delete.set_defaults(run=self._delete)
        peer_verbs.add_verbs(verbs, self._say)
        upgrade_verbs.add_verbs(verbs, self._say)
        self._add_looking(verbs)

    def _add_looking(self, verbs: Any) -> None:
        events = verbs.add_parser("events", help="list the latest events of a group")
        events.add_argument("slug")
        events.add_argument("--count", type=int, default=20)
        events.add_argument("--event", default="", choices=("", *commands.EVENTS), metavar="EVENT")
        events.add_argument("--who", default="", help="part of a name or of a peer's ID")
        for name in ("since", "until"):
            events.add_argument(f"--{name}", default="", help="2026-01-31T08:00+08:00")
        events.set_defaults(run=self._events)
        check = verbs.add_parser("check", help="compare SQL and Redis; exit 1 if they differ")
        check.add_argument("slug", nargs="?", default="", help="default: all groups")
        check.add_argument("--mend", action="store_true", help="fix Redis from SQL")
        check.set_defaults(run=self._check)

    def _say(self, text: str) -> None:
        self.stdout.write(text)

    def _list(self, options: dict[str, Any]) -> None:
        for now in selectors.GROUPS.with_figures(list(Group.objects.order_by("slug"))):
            self.stdout.write(_figures(now))

    def _create(self, options: dict[str, Any]) -> None:
        group = services.group_create(
            actor=ACTOR,
            slug=options["slug"],
            account=account_of(options["account"]),
            **settings_given(options, SETTINGS),
        )
        self.stdout.write(f"Group {group.slug} created.")

    def _show(self, options: dict[str, Any]) -> None:
        group = group_of(options)
        now = selectors.GROUPS.now(group)
        self.stdout.write(_figures(now))
        for name, value in values_of(group, SETTINGS).items():
            self.stdout.write(f"  {name:<26}{in_words(value)}")
        rows = hotpath.run(commands.peers(group.slug)) if now.figures else []
        instances = Instance.objects.filter(group=group)
        found = selectors.peers_of(rows, instances, selectors.front_counts(group))
        for _, row in sorted(found.items()):
            self.stdout.write("  " + (_instance(row) if row["kind"] == "back" else _front(row)))

    def _delete(self, options: dict[str, Any]) -> None:
        group = group_of(options)
        services.group_delete(actor=ACTOR, group=group, reason=options["reason"])
        self.stdout.write(f"Group {group.slug} deleted.")

    def _events(self, options: dict[str, Any]) -> None:
        since, until = (
            us_of(moment_of_text(options[name])) if options[name] else None
            for name in ("since", "until")
        )
        rows = selectors.story_of(
            group_of(options),
            event=options["event"],
            who=options["who"],
            since_us=since,
            until_us=until,
        )
        for row in rows[: max(1, options["count"])]:
            who = row.name or row.peer or "-"
            more = "" if row.count is None else f"  sessions {row.count}"
            told = (
                f"{moment_of(row.at_us):%Y-%m-%d %H:%M:%S}  {row.event}  {who}{more}  {row.reason}"
            )
            self.stdout.write(told.rstrip())

    def _check(self, options: dict[str, Any]) -> None:
        groups = [group_of(options)] if options["slug"] else list(Group.objects.all())
        drift = 0
        for group in groups:
            found = services.differences(group)
            drift += bool(found)
            told = ", ".join(f"{kind}: {count}" for kind, count in found.items())
            self.stdout.write(f"{group.slug}: {told or 'no drift'}")
            if found and options["mend"]:
                if not services.group_check(group, hotpath.run(commands.show(group.slug))):
                    services.bring_to_redis(group)
                self.stdout.write(f"{group.slug}: fixed")
        if drift and not options["mend"]:
            raise CommandError("SQL and Redis differ.", returncode=DRIFT)


def _figures(now: selectors.GroupNow) -> str:
    figures = selectors.figures_of(now.figures)
    told = "  ".join(f"{name}={value}" for name, value in figures.items() if value)
    return f"{now.group.slug}: {told}"


def _instance(row: dict[str, Any]) -> str:
    hand = row["manual"] + (" +upgrade" if row["upgrading"] else "")
    hand += " backup" if row["backup"] else ""
    if row["ejected_until_us"] is not None:
        hand += f" ejected until {moment_of(row['ejected_until_us']):%Y-%m-%d %H:%M:%S}"
    return (
        f"instance {row['name']}  {row['state']}  {hand}  version {row['version'] or '-'}  "
        f"sessions {row['sessions']}/{row['capacity']}  id {row['id'] or '-'}"
    )


def _front(row: dict[str, Any]) -> str:
    lost = "-" if row["told_lost"] is None else f"{row['told_lost']} of {row['told_started']}"
    return (
        f"front-end {row['id']}  {row['state']}  {row['profile']}  sessions {row['sessions']}  "
        f"lost by its own count {lost}"
    )
