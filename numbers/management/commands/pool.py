"""`manage.py pool`: pools on the command line."""

from argparse import ArgumentParser
from getpass import getpass
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from numbers import selectors, services
from numbers.imports.command import import_file
from numbers.management import numbers, rules, switches
from numbers.models import AddedByScript, Pool
from numbers.selectors.twins import keepers
from numbers.services.pools import SETTINGS
from numbers.services.reports import PoolReport
from numbers.services.twins import twins_merge_all
from poolsite.aggregates.commands import add_create, add_set
from poolsite.console.commands import VerbCommand, account_of
from poolsite.console.setting_options import in_words, settings_given, values_of

ACTOR = "manage.py pool"
DRIFT = 1
TWINS_AT_ONCE = 200


class Command(VerbCommand):
    """Creates, changes, shows, compares and opens pools, and writes the Redis users of switches."""

    help = (
        "Pools of numbers: create, set, show, delete, number, calls, import, imports, rule, "
        "switch, twins, acl, reconcile, pause, resume, open."
    )
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="verb")
        add_create(verbs, "create a pool", Pool, SETTINGS, self._create)
        add_set(
            *(verbs, Pool, SETTINGS, _pool),
            lambda pool, reason, changes: services.pool_configure(
                actor=ACTOR, pool=pool, reason=reason, **changes
            ),
            self._say,
        )
        show = verbs.add_parser(
            "show", help="show settings and current figures; without a slug, all pools"
        )
        show.add_argument("slug", nargs="?", default="")
        show.set_defaults(run=self._show)
        reconcile = verbs.add_parser("reconcile", help="compare SQL and Redis, and fix differences")
        reconcile.add_argument("slug", nargs="?", default="", help="default: all pools")
        reconcile.add_argument(
            "--check", action="store_true", help="change nothing; exit 1 if they differ"
        )
        reconcile.set_defaults(run=self._reconcile)
        brought = verbs.add_parser("import", help="import numbers from a CSV or XLSX file")
        brought.add_argument("slug")
        brought.add_argument("file", type=Path)
        brought.add_argument(
            "--yes", action="store_true", help="import the numbers; without it, only preview"
        )
        brought.set_defaults(run=self._import)
        for add in (switches.add_verb, numbers.add_verbs, rules.add_verbs):
            add(verbs, self._say)
        acl = verbs.add_parser(
            "acl", help="create the Redis user of a switch that runs the scripts itself"
        )
        acl.add_argument("slug")
        acl.add_argument("switch", help="the switch's name, as it reports itself")
        acl.add_argument(
            "--ask", action="store_true", help="ask for a password; default: generate one"
        )
        acl.add_argument(
            "--apply",
            action="store_true",
            help="create the user on all masters; default: only print it",
        )
        acl.set_defaults(run=self._acl)
        twins = verbs.add_parser("twins", help="list duplicates: numbers stored in two formats")
        twins.add_argument(
            "--merge", action="store_true", help="merge them; the international format is kept"
        )
        twins.add_argument("--reason", default="")
        twins.set_defaults(run=self._twins)
        for verb, run, told in (
            ("pause", self._pause, "pause a pool: calls are answered with 'paused'"),
            ("resume", self._resume, "resume a paused pool"),
            ("open", self._open, "open a recovering pool early"),
            ("delete", self._delete, "delete a pool and its numbers"),
        ):
            one = verbs.add_parser(verb, help=told)
            one.add_argument("slug")
            one.add_argument("--reason", default="", required=verb != "resume")
            one.set_defaults(run=run)

    def _say(self, text: str) -> None:
        self.stdout.write(text)

    def _create(self, options: dict[str, Any]) -> None:
        pool = services.pool_create(
            actor=ACTOR,
            slug=options["slug"],
            account=account_of(options["account"]),
            **({"added_by_script": AddedByScript.LEND} | settings_given(options, SETTINGS)),
        )
        self.stdout.write(f"Pool {pool.slug} created. Its Redis key is {pool.tag}.")
        if pool.added_by_script == AddedByScript.LEND:
            self.stdout.write(
                "Numbers added by scripts are used immediately, before the platform checks whether "
                f"another pool has them. To change this: manage.py pool set {pool.slug} "
                "--added-by-script confirm"
            )

    def _show(self, options: dict[str, Any]) -> None:
        pools = _pools(options["slug"])
        if not pools:
            self.stdout.write("No pools yet. Create one: manage.py pool create <slug>")
        for pool in pools:
            self._show_one(selectors.pool_now(pool))
            if options["slug"]:
                self._show_settings(pool)

    def _show_settings(self, pool: Pool) -> None:
        for name, value in values_of(pool, SETTINGS).items():
            self.stdout.write(f"  {name:<28}{in_words(value)}")

    def _show_one(self, now: selectors.PoolNow) -> None:
        pool, live = now.pool, now.live
        why = f" ({now.status_reason})" if now.status_reason else ""
        self.stdout.write(f"{pool.slug}  {now.status}{why}  {pool.name}")
        if live is None:
            return
        rows = (
            ("numbers", live.numbers),
            ("idle+up", live.idle_up),
            ("idle+down", live.idle_down),
            ("busy+up", live.busy_up),
            ("busy+down", live.busy_down),
            ("quarantined", live.quarantined),
            ("resting", live.resting),
            ("waiting", live.waiting),
            ("offered", live.offered),
            ("carried", live.carried),
            ("blocked", live.blocked),
            ("history backlog", live.seq - live.drained),
        )
        for label, value in rows:
            self.stdout.write(f"  {label:<16}{value:>12,}")

    def _reconcile(self, options: dict[str, Any]) -> None:
        clean = True
        for pool in _pools(options["slug"]):
            report = services.pool_reconcile(pool=pool, check=options["check"], actor=ACTOR)
            self._tell(report, options["check"])
            clean = clean and report.clean
        if options["check"] and not clean:
            raise CommandError("SQL and Redis differ.", returncode=DRIFT)

    def _tell(self, report: PoolReport, check: bool) -> None:
        verb = "fixed" if report.mended else "differs"
        if report.status == "recovering" and not check:
            self.stdout.write(f"{report.pool}: recovering; nothing is repaired until it is open")
            return
        if report.status == "lost":
            self.stdout.write(f"{report.pool}: lost in Redis; a worker rebuilds it")
            return
        self.stdout.write(
            f"{report.pool}: {report.status}, {report.numbers:,} numbers, "
            + (f"{len(report)} {verb}" if report.drift else "no drift")
        )
        for kind, count in sorted(report.drift.items()):
            self.stdout.write(f"  {kind}: {count:,}  {' '.join(report.samples[kind][:5])}")
        for number, home in sorted(report.foreign.items()):
            self.stdout.write(f"  foreign: {number} belongs to {home}")

    def _import(self, options: dict[str, Any]) -> None:
        pool = _pool(options["slug"])
        import_file(pool, options["file"], actor=ACTOR, yes=options["yes"], say=self.stdout.write)

    def _acl(self, options: dict[str, Any]) -> None:
        pool = _pool(options["slug"])
        user, password, forgetful = services.switch_user_make(
            actor=ACTOR,
            pool=pool,
            switch=options["switch"],
            password=getpass("Password: ") if options["ask"] else "",
            apply=options["apply"],
        )
        self.stdout.write(user.line)
        if not options["ask"]:
            self.stdout.write(f"Password (shown only once): {password}")
        if not options["apply"]:
            self.stdout.write(
                "Nothing was changed. Add this line to every Redis node, or use --apply."
            )
            return
        self.stdout.write(
            f"User {user.name} created on all masters. Add the line to the replicas, too."
        )
        for node in forgetful:
            self.stdout.write(
                f"{node or 'The server'} has no ACL file (aclfile): a restart loses the user."
            )

    def _twins(self, options: dict[str, Any]) -> None:
        after, merged = 0, 0
        while page := list(keepers().filter(pk__gt=after)[:TWINS_AT_ONCE]):
            after = page[-1].pk
            if options["merge"]:
                done = twins_merge_all(actor=ACTOR, keepers=page, reason=options["reason"])
                merged += done.merged
                for number, why in done.stayed.items():
                    self.stdout.write(f"{number} not merged: {why}")
                continue
            for keeper in page:
                for row in (keeper, *keeper.twins.select_related("pool").order_by("pk")):
                    mark = "kept" if row == keeper else "quarantined"
                    self.stdout.write(f"{row.value}  {row.pool.slug}  {mark}")
        if options["merge"]:
            self.stdout.write(f"{merged:,} numbers merged.")
        elif not after:
            self.stdout.write("No duplicates.")

    def _pause(self, options: dict[str, Any]) -> None:
        pool = _pool(options["slug"])
        services.pool_pause(actor=ACTOR, pool=pool, reason=options["reason"])
        self.stdout.write(f"{pool.slug} is paused.")

    def _resume(self, options: dict[str, Any]) -> None:
        pool = _pool(options["slug"])
        services.pool_resume(actor=ACTOR, pool=pool, reason=options["reason"])
        self.stdout.write(f"{pool.slug} is resumed.")

    def _open(self, options: dict[str, Any]) -> None:
        pool = _pool(options["slug"])
        services.pool_open_early(actor=ACTOR, pool=pool, reason=options["reason"])
        self.stdout.write(f"{pool.slug} is open.")

    def _delete(self, options: dict[str, Any]) -> None:
        pool = _pool(options["slug"])
        services.pool_delete(actor=ACTOR, pool=pool, reason=options["reason"])
        self.stdout.write(f"{pool.slug} is deleted.")


def _pools(slug: str) -> list[Pool]:
    """Return the pool with this slug, or all pools if it is ""."""
    return [_pool(slug)] if slug else list(Pool.objects.select_related("account").order_by("slug"))


def _pool(slug: str) -> Pool:
    pool = Pool.objects.select_related("account").filter(slug=slug).first()
    if pool is None:
        raise CommandError(f"Pool {slug!r} not found. To create it: manage.py pool create {slug}")
    return pool
