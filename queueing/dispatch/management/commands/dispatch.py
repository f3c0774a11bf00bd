"""`manage.py dispatch`: groups, instances, sessions and upgrades from the command line."""

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from poolsite import hotpath
from poolsite.moments import moment_of
from poolsite.operations.commands import VerbCommand, account_of, moment_of_text
from queueing.dispatch import dispatcher as door
from queueing.dispatch import selectors, services
from queueing.dispatch.models import Group, Instance, Upgrade

ACTOR = "manage.py dispatch"
DRIFT = 1
MANUAL = {"open": "open", "drain": "drain", "block": "blocked"}


class Command(VerbCommand):
    """Make, show and check groups; open, drain and block instances; explain; upgrade."""

    help = "Dispatcher: create, show, open, drain, block, explain, upgrade, abort, events, check."
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="verb")
        verbs.add_parser("list", help="list groups with their figures").set_defaults(run=self._list)
        create = verbs.add_parser("create", help="create a group")
        create.add_argument("slug")
        create.add_argument("--name", default="")
        create.add_argument(
            "--account", default="", help="slug of the account; default: the platform"
        )
        create.add_argument("--sharing", default="least", choices=("least", "turn", "key"))
        create.add_argument("--heartbeat", type=int, default=5, metavar="SECONDS")
        create.set_defaults(run=self._create)
        show = verbs.add_parser("show", help="show a group's figures, instances and front-ends")
        show.add_argument("slug")
        show.set_defaults(run=self._show)
        for verb, told in (
            ("open", "let an instance accept new sessions"),
            ("drain", "stop new sessions; open sessions continue"),
            ("block", "stop new sessions and end the open ones"),
        ):
            one = verbs.add_parser(verb, help=told)
            one.add_argument("slug")
            one.add_argument("name")
            one.add_argument("--reason", default="", required=verb != "open")
            if verb != "open":
                one.add_argument("--until", default="", help="2026-01-31T08:00+08:00")
            one.set_defaults(run=self._set)
        explain = verbs.add_parser("explain", help="explain a session's route")
        explain.add_argument("slug")
        explain.add_argument("session", help="front-end/number")
        explain.set_defaults(run=self._explain)
        self._add_upgrades(verbs)
        events = verbs.add_parser("events", help="list the latest events of a group")
        events.add_argument("slug")
        events.add_argument("--count", type=int, default=20)
        events.set_defaults(run=self._events)
        check = verbs.add_parser("check", help="compare SQL and Redis; exit 1 if they differ")
        check.add_argument("slug", nargs="?", default="", help="default: all groups")
        check.add_argument("--mend", action="store_true", help="fix Redis from SQL")
        check.set_defaults(run=self._check)

    def _add_upgrades(self, verbs: Any) -> None:
        upgrade = verbs.add_parser("upgrade", help="upgrade the instances one by one")
        upgrade.add_argument("slug")
        upgrade.add_argument("version")
        upgrade.add_argument("--max-drain", type=int, default=600, metavar="SECONDS")
        upgrade.add_argument("--at-limit", default="wait", choices=("wait", "force"))
        upgrade.add_argument("--reason", default="")
        upgrade.add_argument("--follow", action="store_true", help="print progress until it ends")
        upgrade.set_defaults(run=self._upgrade)
        abort = verbs.add_parser("abort", help="abort the running upgrade")
        abort.add_argument("slug")
        abort.add_argument("--reason", required=True)
        abort.set_defaults(run=self._abort)

    def _list(self, options: dict[str, Any]) -> None:
        for now in selectors.with_figures(list(Group.objects.order_by("slug"))):
            self.stdout.write(_figures(now))

    def _create(self, options: dict[str, Any]) -> None:
        group = services.group_create(
            actor=ACTOR,
            slug=options["slug"],
            name=options["name"],
            account=account_of(options["account"]),
            sharing=options["sharing"],
            heartbeat_seconds=options["heartbeat"],
        )
        self.stdout.write(f"Group {group.slug} created.")

    def _show(self, options: dict[str, Any]) -> None:
        group = _group(options["slug"])
        now = selectors.group_now(group)
        self.stdout.write(_figures(now))
        rows = hotpath.run(door.peers(group.slug)) if now.figures else []
        instances = Instance.objects.filter(group=group)
        found = selectors.peers_of(rows, instances, selectors.front_counts(group))
        for _, row in sorted(found.items()):
            self.stdout.write("  " + (_instance(row) if row["kind"] == "back" else _front(row)))

    def _set(self, options: dict[str, Any]) -> None:
        until = options.get("until", "")
        instance = services.instance_set(
            actor=ACTOR,
            group=_group(options["slug"]),
            name=options["name"],
            state=MANUAL[options["verb"]],
            reason=options["reason"],
            until=moment_of_text(until) if until else None,
        )
        self.stdout.write(f"{instance.name}: {instance.manual_state}")

    def _explain(self, options: dict[str, Any]) -> None:
        story = selectors.session_story(_group(options["slug"]), options["session"])
        if story is None:
            raise CommandError(f"Session {options['session']} not found.")
        told = selectors.session_out(story)
        for name, value in told.items():
            self.stdout.write(f"{name}: {value}")

    def _upgrade(self, options: dict[str, Any]) -> None:
        upgrade = services.upgrade_start(
            actor=ACTOR,
            group=_group(options["slug"]),
            target_version=options["version"],
            max_drain_seconds=options["max_drain"],
            at_limit=options["at_limit"],
            reason=options["reason"],
        )
        self._tell(upgrade)
        while options["follow"] and upgrade.status == Upgrade.Status.RUNNING:
            time.sleep(1)
            upgrade.refresh_from_db()
            self._tell(upgrade)

    def _tell(self, upgrade: Upgrade) -> None:
        told = selectors.upgrade_out(upgrade)
        steps = "  ".join(
            f"{step['name']}={step['status']}({step['sessions']})" for step in told["steps"]
        )
        self.stdout.write(
            f"upgrade {told['id']} to {told['target_version']}: {told['status']}, "
            f"{told['done']} of {told['total']}  {steps}  {told['waits_for']}".rstrip()
        )

    def _abort(self, options: dict[str, Any]) -> None:
        upgrade = selectors.running_upgrade(_group(options["slug"]))
        if upgrade is None:
            raise CommandError("No upgrade of this group is running.")
        told = services.upgrade_abort(actor=ACTOR, upgrade=upgrade, reason=options["reason"])
        for step in selectors.upgrade_out(told)["steps"]:
            self.stdout.write(f"{step['name']}: {step['status']}, {step['manual_state']}")

    def _events(self, options: dict[str, Any]) -> None:
        rows = selectors.story(_group(options["slug"]))[: max(1, options["count"])]
        for row in rows:
            who = row.name or row.peer or "-"
            more = "" if row.count is None else f"  sessions {row.count}"
            told = (
                f"{moment_of(row.at_us):%Y-%m-%d %H:%M:%S}  {row.event}  {who}{more}  {row.reason}"
            )
            self.stdout.write(told.rstrip())

    def _check(self, options: dict[str, Any]) -> None:
        groups = [_group(options["slug"])] if options["slug"] else list(Group.objects.all())
        drift = 0
        for group in groups:
            found = services.differences(group)
            drift += bool(found)
            told = ", ".join(f"{kind}: {count}" for kind, count in found.items())
            self.stdout.write(f"{group.slug}: {told or 'no drift'}")
            if found and options["mend"]:
                if not services.group_check(group, hotpath.run(door.show(group.slug))):
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


def _group(slug: str) -> Group:
    group = Group.objects.select_related("account").filter(slug=slug).first()
    if group is None:
        raise CommandError(f"Group {slug} not found.")
    return group
