"""Mails that say what happened to a user's log-in, queued after the commit."""

import time

from django.db import transaction

from poolsite.access import context
from poolsite.access.mail_tasks import send_notice_mail
from poolsite.access.models import User


def tell_owner(user: User, action: str) -> None:
    """Queue a mail that says what happened to a user's log-in, once the transaction commits.

    Never undoes the act: a broker that cannot take it is logged by Django.
    """
    if user.email:
        told = (user.pk, action, int(time.time() * 1_000_000), context.current().address)
        transaction.on_commit(lambda: send_notice_mail.delay(*told), robust=True)
