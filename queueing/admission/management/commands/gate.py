"""`manage.py gate`: gates from the command line."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.files import File
from django.core.management.base import CommandError

from poolsite import hotpath
from poolsite.operations.commands import VerbCommand, account_of, moment_of_text
from poolsite.operations.setting_options import (
    add_settings,
    changes_given,
    settings_given,
    told_changes,
    values_of,
)
from queueing.admission import gate as door
from queueing.admission import selectors, services
from queueing.admission.models import Gate, TaskBatch
from queueing.admission.services.gates import SETTINGS

ACTOR = "manage.py gate"
DRIFT = 1


class Command(VerbCommand):
    """Make, show, size, compare, pause and open gates; bring batches; free permits."""

    help = "Admission gates: create, set, show, cap, key, holders, free, batch, reconcile, pause."
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="verb")
        create = verbs.add_parser("create", help="create a gate")
        create.add_argument("slug")
        create.add_argument(
            "--account", default="", help="slug of the account; default: the platform"
        )
        add_settings(create, Gate, SETTINGS)
        create.set_defaults(run=self._create)
        change = verbs.add_parser("set", help="change settings")
        change.add_argument("slug")
        change.add_argument("--reason", default="")
        add_settings(change, Gate, SETTINGS)
        change.set_defaults(run=self._set)
        show = verbs.add_parser(
            "show", help="show current figures and open batches; without a slug, all gates"
        )
        show.add_argument("slug", nargs="?", default="")
        show.set_defaults(run=self._show)
        cap = verbs.add_parser("cap", help="change the concurrency limit; takes effect immediately")
        cap.add_argument("slug")
        cap.add_argument("cap", type=int)
        cap.add_argument("--reason", default="")
        cap.set_defaults(run=self._cap)
        holders = verbs.add_parser("holders", help="list permit holders, earliest deadline first")
        holders.add_argument("slug")
        holders.set_defaults(run=self._holders)
        free = verbs.add_parser("free", help="end a permit; holder: a name, @device or #token")
        free.add_argument("slug")
        free.add_argument("holder")
        free.add_argument("--reason", required=True)
        free.set_defaults(run=self._free)
        reconcile = verbs.add_parser("reconcile", help="compare SQL and Redis, and fix differences")
        reconcile.add_argument("slug", nargs="?", default="", help="default: all gates")
        reconcile.add_argument(
            "--check", action="store_true", help="change nothing; exit 1 if they differ"
        )
        reconcile.set_defaults(run=self._reconcile)
        self._add_batch(verbs)
        self._add_key(verbs)
        cancel = verbs.add_parser("cancel", help="cancel a batch permanently")
        cancel.add_argument("slug")
        cancel.add_argument("batch", type=int)
        cancel.add_argument("--reason", required=True)
        cancel.set_defaults(run=self._cancel)
        for verb, run, told in (
            ("pause", self._pause, "pause a gate: no one is admitted"),
            ("resume", self._resume, "resume a paused gate"),
            ("open", self._open, "open a recovering gate early"),
        ):
            one = verbs.add_parser(verb, help=told)
            one.add_argument("slug")
            one.add_argument("--reason", default="", required=verb != "resume")
            one.set_defaults(run=run)

    def _add_batch(self, verbs: Any) -> None:
        batch = verbs.add_parser(
            "batch", help="create a batch from a CSV file with device and payload"
        )
        batch.add_argument("slug")
        batch.add_argument("file", type=Path)
        batch.add_argument("--name", default="")
        batch.add_argument("--opens", required=True, help="2026-01-31T08:00+08:00")
        batch.add_argument("--closes", required=True)
        batch.add_argument("--skip-bad", action="store_true", help="skip bad rows")
        batch.set_defaults(run=self._batch)

    def _add_key(self, verbs: Any) -> None:
        key = verbs.add_parser(
            "key", help="change the key that signs permits; a new key is printed once"
        )
        key.add_argument("slug")
        key.add_argument(
            "do", choices=("new", "use", "remove"), help="use: sign with the newest key"
        )
        key.add_argument("--reason", default="")
        key.set_defaults(run=self._key)

    def _create(self, options: dict[str, Any]) -> None:
        gate = services.gate_create(
            actor=ACTOR,
            slug=options["slug"],
            account=account_of(options["account"]),
            **settings_given(options, SETTINGS),
        )
        self.stdout.write(f"Gate {gate.slug} created. Concurrency limit: {gate.cap}.")

    def _set(self, options: dict[str, Any]) -> None:
        changes, gate = changes_given(options, SETTINGS), _gate(options["slug"])
        before = values_of(gate, list(changes))
        gate = services.gate_configure(actor=ACTOR, gate=gate, reason=options["reason"], **changes)
        for line in told_changes(before, changes) or ["no changes"]:
            self.stdout.write(f"{gate.slug}: {line}")

    def _show(self, options: dict[str, Any]) -> None:
        gates = [_gate(options["slug"])] if options["slug"] else list(Gate.objects.all())
        for gate in gates:
            figures = selectors.figures_of(selectors.gate_now(gate).figures)
            told = "  ".join(f"{name}={value}" for name, value in figures.items() if value)
            self.stdout.write(f"{gate.slug}: {told}")
            if options["slug"]:
                self._show_batches(gate)

    def _show_batches(self, gate: Gate) -> None:
        for batch in TaskBatch.objects.filter(gate=gate, finished_at=None).order_by("pk"):
            told = "  ".join(f"{k}={v}" for k, v in selectors.progress(batch).items() if v)
            self.stdout.write(f"  batch {batch.pk} {batch.name}: {told}")

    def _cap(self, options: dict[str, Any]) -> None:
        gate = _gate(options["slug"])
        services.gate_resize(actor=ACTOR, gate=gate, cap=options["cap"], reason=options["reason"])
        self.stdout.write(f"{gate.slug}: concurrency limit {options['cap']}")

    def _holders(self, options: dict[str, Any]) -> None:
        found = hotpath.run(door.holders(_gate(options["slug"]).slug, 0, 1_000))
        for row in found.rows:
            age, left = found.as_of_us - row.granted_us, row.deadline_us - found.as_of_us
            task = "" if row.task is None else f"  task {row.task}"
            self.stdout.write(
                f"{row.holder}  since {age // 1_000_000} s  left {left // 1_000_000} s{task}"
            )
        self.stdout.write(f"{found.total} permits")

    def _free(self, options: dict[str, Any]) -> None:
        gate = _gate(options["slug"])
        held = hotpath.run(door.holder(gate.slug, options["holder"]))
        if held is None:
            raise CommandError(f"{options['holder']} has no permit of {gate.slug}.")
        services.permit_free(
            actor=ACTOR,
            gate=gate,
            holder=held.holder,
            token=held.token,
            reason=options["reason"],
        )
        self.stdout.write(f"{held.holder}: permit ended")

    def _reconcile(self, options: dict[str, Any]) -> None:
        gates = [_gate(options["slug"])] if options["slug"] else list(Gate.objects.all())
        drift = 0
        for gate in gates:
            report = services.gate_reconcile(actor=ACTOR, gate=gate, check=options["check"])
            drift += not report.clean
            told = ", ".join(f"{kind}: {count}" for kind, count in report.drift.items())
            self.stdout.write(f"{gate.slug}: {report.status}, {told or 'no drift'}")
        if options["check"] and drift:
            raise CommandError("SQL and Redis differ.", returncode=DRIFT)

    def _batch(self, options: dict[str, Any]) -> None:
        with options["file"].open("rb") as file:
            made = services.batch_create(
                actor=ACTOR,
                gate=_gate(options["slug"]),
                name=options["name"] or options["file"].stem,
                csv=File(file).chunks(),
                opens_at=moment_of_text(options["opens"]),
                closes_at=moment_of_text(options["closes"]),
                skip_bad=options["skip_bad"],
            )
        left_out = f", {made.bad} rows skipped" if made.bad else ""
        self.stdout.write(f"batch {made.batch.pk}: {made.batch.total} tasks{left_out}")

    def _cancel(self, options: dict[str, Any]) -> None:
        gate = _gate(options["slug"])
        batch = TaskBatch.objects.filter(gate=gate, pk=options["batch"]).first()
        if batch is None:
            raise CommandError(f"Batch {options['batch']} not found in {gate.slug}.")
        services.batch_cancel(actor=ACTOR, batch=batch, reason=options["reason"])
        self.stdout.write(f"batch {batch.pk}: cancelled")

    def _key(self, options: dict[str, Any]) -> None:
        gate = _gate(options["slug"])
        made = services.gate_key_change(
            options["do"], actor=ACTOR, gate=gate, reason=options["reason"]
        )
        gate.refresh_from_db()
        prints = gate.signing_prints
        waits = f", {prints['next']} waits for `use`" if prints["next"] else ""
        self.stdout.write(f"{gate.slug}: signs with {prints['signs'] or 'no key'}{waits}")
        if made:
            self.stdout.write(made)

    def _pause(self, options: dict[str, Any]) -> None:
        gate = _gate(options["slug"])
        services.gate_pause(actor=ACTOR, gate=gate, reason=options["reason"])
        self.stdout.write(f"{gate.slug}: paused")

    def _resume(self, options: dict[str, Any]) -> None:
        gate = _gate(options["slug"])
        services.gate_resume(actor=ACTOR, gate=gate, reason=options["reason"])
        self.stdout.write(f"{gate.slug}: resumed")

    def _open(self, options: dict[str, Any]) -> None:
        gate = _gate(options["slug"])
        services.gate_open_early(actor=ACTOR, gate=gate, reason=options["reason"])
        self.stdout.write(f"{gate.slug}: open")


def _gate(slug: str) -> Gate:
    gate = Gate.objects.select_related("account").filter(slug=slug).first()
    if gate is None:
        raise CommandError(f"Gate {slug} not found.")
    return gate
