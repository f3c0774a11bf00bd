"""`manage.py token create|revoke|list`: API tokens, from the command line."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from poolsite.access import services
from poolsite.access.models import Account, ApiToken

ACTOR = "manage.py token"


class Command(BaseCommand):
    """A token for a switch, a device, a gateway or an application server."""

    help = "Create, revoke or list API tokens."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the verbs and their options."""
        verbs = parser.add_subparsers(dest="verb", required=True)
        create = verbs.add_parser("create", help="create a token; it is printed once")
        create.add_argument("name")
        create.add_argument("--account", help="slug of the account; default: the platform")
        create.add_argument("--may-reach", action="append", required=True, metavar="KIND:SLUG")
        create.add_argument("--action", action="append", default=[])
        create.add_argument("--event", action="append", default=[])
        create.add_argument("--switch", default="")
        create.add_argument("--network", action="append", default=[], metavar="CIDR")
        create.add_argument("--days", type=int, default=365)
        revoke = verbs.add_parser("revoke", help="revoke a token, given its first characters")
        revoke.add_argument("prefix")
        verbs.add_parser("list", help="list valid tokens")

    def handle(self, *args: Any, verb: str, **options: Any) -> None:
        """Run one verb. Raise CommandError with one sentence if something is wrong."""
        try:
            getattr(self, f"_{verb}")(options)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error

    def _create(self, options: dict[str, Any]) -> None:
        if not 0 < options["days"] <= 730:
            raise CommandError("--days must be a number from 1 to 730.")
        account = None
        if options["account"]:
            account = Account.objects.filter(slug=options["account"]).first()
            if account is None:
                raise CommandError(f"Account {options['account']} not found.")
        _token, secret = services.token_create(
            name=options["name"],
            account=account,
            resources=options["may_reach"],
            actions=options["action"] or ["*"],
            events=options["event"] or ["*"],
            switch=options["switch"],
            networks=options["network"],
            expires_at=timezone.now() + timedelta(days=options["days"]),
            actor=ACTOR,
        )
        self.stdout.write(secret)

    def _revoke(self, options: dict[str, Any]) -> None:
        found = list(ApiToken.objects.filter(prefix=options["prefix"], revoked_at=None)[:2])
        if len(found) != 1:
            raise CommandError(
                f"{len(found)} valid tokens start with {options['prefix']}; exactly one must match."
            )
        services.token_revoke(token=found[0], actor=ACTOR)
        self.stdout.write(f"Token {found[0]} revoked.")

    def _list(self, options: dict[str, Any]) -> None:
        for token in ApiToken.objects.filter(revoked_at=None, expires_at__gt=timezone.now()):
            reach = ", ".join(token.resources)
            self.stdout.write(f"{token.prefix}  {token.expires_at:%Y-%m-%d}  {token.name}  {reach}")
