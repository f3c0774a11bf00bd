"""`manage.py user create|grant|role|password|logout`: people, from the command line."""

import secrets
from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from poolsite.access import services
from poolsite.access.models import Account, GrantName, Role, User

ACTOR = "manage.py user"


class Command(BaseCommand):
    """Creates the first operator; everyone else is invited by mail."""

    help = "Create a user, assign roles and grants, set a new password, or end all sessions."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the verbs and their options."""
        verbs = parser.add_subparsers(dest="verb", required=True)
        create = verbs.add_parser("create", help="create a user; the password is printed once")
        create.add_argument("username")
        create.add_argument("--email", default="")
        create.add_argument("--name", default="", help="full name")
        create.add_argument("--operator", action="store_true", help="make the user an operator")
        self._add_rights(create)
        rights = verbs.add_parser("grant", help="assign grants and roles")
        rights.add_argument("username")
        self._add_rights(rights)
        for verb, text in (
            ("password", "set a new password; it is printed once"),
            ("logout", "end all sessions of the user"),
        ):
            verbs.add_parser(verb, help=text).add_argument("username")

    def _add_rights(self, parser: ArgumentParser) -> None:
        parser.add_argument("--grant", action="append", default=[], choices=GrantName.values)
        parser.add_argument("--account", help="slug of the account for --role")
        parser.add_argument("--role", action="append", default=[], choices=Role.values)

    def handle(self, *args: Any, verb: str, username: str, **options: Any) -> None:
        """Run one verb. Raise CommandError with one sentence if something is wrong."""
        try:
            with transaction.atomic():
                getattr(self, f"_{verb}")(username, options)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error

    def _create(self, username: str, options: dict[str, Any]) -> None:
        password = secrets.token_urlsafe(15)
        user = services.user_create(
            username=username,
            email=options["email"],
            full_name=options["name"],
            is_operator=options["operator"],
            password=password,
            actor=ACTOR,
        )
        self._give(user, options)
        self.stdout.write(f"{username} can log in with the password {password}")

    def _grant(self, username: str, options: dict[str, Any]) -> None:
        self._give(_user(username), options)
        self.stdout.write(f"Grants and roles of {username} saved.")

    def _password(self, username: str, options: dict[str, Any]) -> None:
        password = secrets.token_urlsafe(15)
        services.password_set(user=_user(username), password=password, actor=ACTOR)
        self.stdout.write(f"{username} can log in with the password {password}")

    def _logout(self, username: str, options: dict[str, Any]) -> None:
        services.log_out_everywhere(user=_user(username), actor=ACTOR)
        self.stdout.write(f"{username} was logged out everywhere.")

    def _give(self, user: User, options: dict[str, Any]) -> None:
        for name in options["grant"]:
            services.grant_set(user=user, name=name, actor=ACTOR)
        if options["role"] and not options["account"]:
            raise CommandError("--role needs --account.")
        if options["account"]:
            account = Account.objects.filter(slug=options["account"]).first()
            if account is None:
                raise CommandError(f"Account {options['account']} not found.")
            held = user.memberships.filter(account=account).values_list("role", flat=True)
            services.membership_set(
                user=user, account=account, roles={*held, *options["role"]}, actor=ACTOR
            )


def _user(username: str) -> User:
    user = User.objects.filter(username__iexact=username).first()
    if user is None:
        raise CommandError(f"User {username} not found.")
    return user
