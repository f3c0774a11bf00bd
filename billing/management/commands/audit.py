"""`manage.py audit`: proves the books. The exit code is 0 if every law holds, 1 otherwise."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from redis.exceptions import RedisError

from billing.models import Wallet
from billing.money import plain
from billing.persistence import proving
from billing.selectors.losses import recent_losses
from poolsite import hotpath


class Command(BaseCommand):
    """Checks the laws of `billing.persistence.proving`, and shows recent losses of Redis data."""

    help = "Audit the books of all accounts, or of one; --deep names the first entry that differs."
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "slug", nargs="?", default="", help="slug of the account; default: all accounts"
        )
        parser.add_argument(
            "--deep", action="store_true", help="also check every journal, entry by entry"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["slug"]
        if slug and not Wallet.objects.filter(account__slug=slug).exists():
            raise CommandError(f"Account {slug!r} not found, or it has no wallet.")
        looked_at = differences = 0
        try:
            for count, found in proving.audit_all(slug):
                looked_at += count
                differences += len(found)
                for difference in found:
                    self.stdout.write(str(difference))
        except (hotpath.HotPathError, RedisError, OSError) as error:
            raise CommandError(f"Can't reach Redis: {error}") from error
        if options["deep"]:
            differences += self._walk(slug)
        self._tell_losses(slug)
        self.stdout.write(f"{looked_at} accounts, {differences} differences")
        if differences:
            sys.exit(1)

    def _tell_losses(self, slug: str) -> None:
        """Show what no law can: after a loss of Redis, the books still agree with each other."""
        rows = Wallet.objects.exclude(unexplained=0).select_related("account").order_by("pk")
        for wallet in rows.filter(account__slug=slug) if slug else rows:
            self.stdout.write(f"{wallet.slug}: {plain(wallet.unexplained)} unexplained")
        for loss in recent_losses(slug):
            since = loss.written_at.isoformat() if loss.written_at else "it was opened"
            self.stdout.write(
                f"{loss.account.slug}: rebuilt {loss.rebuilt_at.isoformat()} ({loss.why});"
                f" changes may be missing since {since}"
            )

    def _walk(self, slug: str) -> int:
        found = 0
        rows = Wallet.objects.select_related("account").order_by("pk")
        for wallet in rows.filter(account__slug=slug) if slug else rows.iterator(chunk_size=500):
            entry = proving.first_differing(wallet)
            if entry:
                found += 1
                self.stdout.write(f"{wallet.slug}: entry {entry}")
        return found
