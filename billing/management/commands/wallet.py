"""`manage.py wallet`: wallets from the command line.

It has its own verbs and those of the API (billing/management/api_verbs.py).
"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from billing import servers, wallet
from billing.management import api_verbs
from billing.models import Wallet
from billing.money import plain
from billing.persistence.running import persist_one
from billing.services import wallets
from billing.services.moving import NotMovedError, wallet_move
from billing.services.rebuilding import NotRebuiltError, Rebuilt
from billing.services.rebuilding_drill import wallet_rebuild
from poolsite.console.commands import VerbCommand

ACTOR = "manage.py wallet"


class Command(VerbCommand):
    """Show, persist, rebuild, move, freeze and unfreeze wallets, and the verbs of the API."""

    help = "Wallets of accounts: show, persist, rebuild, move, freeze, unfreeze; and the API's."
    requires_migrations_checks = False
    refusals = (NotMovedError, NotRebuiltError, servers.UnknownServerError)

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="verb")
        show = verbs.add_parser(
            "show", help="show figures in SQL and Redis; without a slug, all wallets"
        )
        show.add_argument("slug", nargs="?", default="")
        show.set_defaults(run=self._show)
        for verb, run, told in (
            ("persist", self._persist, "write the wallet's pending entries to SQL now"),
            ("rebuild", self._rebuild, "delete the wallet's Redis data and rebuild it from SQL"),
        ):
            one = verbs.add_parser(verb, help=told)
            one.add_argument("slug")
            one.set_defaults(run=run)
        move = verbs.add_parser("move", help="move the wallet to another configured server")
        move.add_argument("slug")
        move.add_argument(
            "server", help="a name in POOLSITE_BILLING_REDIS_URLS, or - for the default server"
        )
        move.add_argument("--reason", default="")
        move.set_defaults(run=self._move)
        for verb, change in (("freeze", self._freeze), ("unfreeze", self._unfreeze)):
            one = verbs.add_parser(verb, help=f"{verb} the account")
            one.add_argument("slug")
            one.add_argument("--reason", required=True)
            one.set_defaults(run=change)
        for each in api_verbs.verbs():
            one = verbs.add_parser(each.name, help=each.summary, description=each.told)
            for part in each.parts:
                one.add_argument(part)
            one.add_argument("--as", dest="who", required=True, help="the user who acts")
            one.add_argument(
                "fields", nargs="*", metavar="field=value", help="field=@path reads a file"
            )
            one.set_defaults(run=self._call, api_verb=each)

    def _call(self, options: dict[str, Any]) -> None:
        verb: api_verbs.Verb = options["api_verb"]
        places = {part: options[part] for part in verb.parts}
        self.stdout.write(api_verbs.call(verb, places, options["fields"], options["who"]))

    def _show(self, options: dict[str, Any]) -> None:
        rows = [_row(options["slug"])] if options["slug"] else _rows()
        for row in rows:
            self._show_one(row)

    def _show_one(self, row: Wallet) -> None:
        live = servers.path(row).run(wallet.balance(row.slug))
        where = row.redis or "default server"
        status = "in safe mode" if row.recovering_since else row.status
        self.stdout.write(f"{row.slug}  {status}  {where}")
        lines = [("SQL spendable", plain(row.spendable)), ("SQL held", plain(row.held))]
        if live is None:
            lines.append(("Redis", "lost; a worker rebuilds it"))
        else:
            lines += [
                ("balance", plain(live.bal)),
                ("credit limit", plain(live.credit)),
                ("spendable", plain(live.spendable)),
                ("not in SQL yet", plain(live.pend)),
                ("held", plain(live.held)),
                ("receivable", plain(live.receivable)),
                ("entries to write", str(live.backlog)),
                ("open holds", str(live.open)),
            ]
        lines.append(("unexplained", plain(row.unexplained)))
        for label, value in lines:
            self.stdout.write(f"  {label:<18}{value:>20}")

    def _persist(self, options: dict[str, Any]) -> None:
        turn = persist_one(_row(options["slug"]))
        self.stdout.write(f"{turn.entries} entries written, {turn.faults} faults")
        if turn.faults or turn.refused:
            raise CommandError("SQL could not store all entries. For details: manage.py audit")

    def _rebuild(self, options: dict[str, Any]) -> None:
        self._tell(wallet_rebuild(_row(options["slug"]), actor=ACTOR))

    def _move(self, options: dict[str, Any]) -> None:
        server = "" if options["server"] == "-" else options["server"]
        row = _row(options["slug"])
        self._tell(wallet_move(row, server, actor=ACTOR, reason=options["reason"]))

    def _tell(self, rebuilt: Rebuilt) -> None:
        self.stdout.write(
            f"rebuilt in {rebuilt.seconds:.2f} s: {rebuilt.loaded.messages} messages, "
            f"{rebuilt.loaded.receipts} receipts"
        )
        if rebuilt.difference is not None and rebuilt.held_difference is not None:
            self.stdout.write(
                f"difference {plain(rebuilt.difference)} spendable, "
                f"{plain(rebuilt.held_difference)} held"
            )

    def _freeze(self, options: dict[str, Any]) -> None:
        row = _row(options["slug"])
        wallets.wallet_freeze(row, actor=ACTOR, reason=options["reason"])
        self.stdout.write(f"{row.slug} is frozen")

    def _unfreeze(self, options: dict[str, Any]) -> None:
        row = _row(options["slug"])
        wallets.wallet_unfreeze(row, actor=ACTOR, reason=options["reason"])
        self.stdout.write(f"{row.slug} is open")


def _rows() -> list[Wallet]:
    return list(Wallet.objects.select_related("account").order_by("account__slug"))


def _row(slug: str) -> Wallet:
    row = Wallet.objects.select_related("account").filter(account__slug=slug).first()
    if row is None:
        raise CommandError(f"Account {slug!r} not found, or it has no wallet.")
    return row
