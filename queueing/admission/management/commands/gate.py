"""`manage.py gate`: gates from the command line."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from poolsite.aggregates.commands import add_create, add_set
from poolsite.console.commands import VerbCommand, account_of
from poolsite.console.setting_options import settings_given
from queueing.admission import selectors, services
from queueing.admission.management import batch_verbs, gate_verbs
from queueing.admission.management.finding import ACTOR, gate_of
from queueing.admission.models import Gate, TaskBatch
from queueing.admission.services.gates import SETTINGS

DRIFT = 1


class Command(VerbCommand):
    """Everything that the pages of gates can do, and the comparison of SQL with Redis."""

    help = "Admission gates: settings, limits, permits, signing keys, batches and their tasks."
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="verb")
        create = add_create(verbs, "create a gate", Gate, SETTINGS, self._create)
        create.add_argument("--reason", default="")
        add_set(
            *(verbs, Gate, SETTINGS, gate_of),
            lambda gate, reason, changes: services.gate_configure(
                actor=ACTOR, gate=gate, reason=reason, **changes
            ),
            self._say,
        )
        show = verbs.add_parser(
            "show", help="show current figures and open batches; without a slug, all gates"
        )
        show.add_argument("slug", nargs="?", default="")
        show.set_defaults(run=self._show)
        reconcile = verbs.add_parser("reconcile", help="compare SQL and Redis, and fix differences")
        reconcile.add_argument("slug", nargs="?", default="", help="default: all gates")
        reconcile.add_argument(
            "--check", action="store_true", help="change nothing; exit 1 if they differ"
        )
        reconcile.set_defaults(run=self._reconcile)
        self._add_key(verbs)
        gate_verbs.add_verbs(verbs, self._say)
        batch_verbs.add_verbs(verbs, self._say)

    def _say(self, text: str) -> None:
        self.stdout.write(text)

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
            reason=options["reason"],
            **settings_given(options, SETTINGS),
        )
        self._say(f"Gate {gate.slug} created. Concurrency limit: {gate.cap}.")

    def _show(self, options: dict[str, Any]) -> None:
        gates = [gate_of(options["slug"])] if options["slug"] else list(Gate.objects.all())
        for gate in gates:
            figures = selectors.figures_of(selectors.GATES.now(gate).figures)
            waits = figures.pop("wait_seconds", {})
            figures |= {f"wait_{name}": seconds for name, seconds in waits.items()}
            told = "  ".join(f"{name}={value}" for name, value in figures.items() if value)
            self._say(f"{gate.slug}: {told}")
            if options["slug"]:
                self._show_batches(gate)

    def _show_batches(self, gate: Gate) -> None:
        for batch in TaskBatch.objects.filter(gate=gate, finished_at=None).order_by("pk"):
            told = "  ".join(f"{k}={v}" for k, v in selectors.progress(batch).items() if v)
            self._say(f"  batch {batch.pk} {batch.name}: {told}")

    def _reconcile(self, options: dict[str, Any]) -> None:
        gates = [gate_of(options["slug"])] if options["slug"] else list(Gate.objects.all())
        drift = 0
        for gate in gates:
            report = services.gate_reconcile(actor=ACTOR, gate=gate, check=options["check"])
            drift += not report.clean
            told = ", ".join(f"{kind}: {count}" for kind, count in report.drift.items())
            self._say(f"{gate.slug}: {report.status}, {told or 'no drift'}")
        if options["check"] and drift:
            raise CommandError("SQL and Redis differ.", returncode=DRIFT)

    def _key(self, options: dict[str, Any]) -> None:
        gate = gate_of(options["slug"])
        made = services.gate_key_change(
            options["do"], actor=ACTOR, gate=gate, reason=options["reason"]
        )
        gate.refresh_from_db()
        prints = gate.signing_prints
        waits = f", {prints['next']} waits for `use`" if prints["next"] else ""
        self._say(f"{gate.slug}: signs with {prints['signs'] or 'no key'}{waits}")
        if made:
            self._say(made)
