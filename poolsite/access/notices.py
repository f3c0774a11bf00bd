"""Queues mails about changes to a user's log-in after the commit."""

import time

from django.db import transaction

from poolsite.access import context
from poolsite.access.mail_tasks import send_notice_mail
from poolsite.access.models import User


def tell_owner(user: User, action: str) -> None:
    """Queue a mail about a change to a user's log-in once the transaction commits.

    This never undoes the change: if the broker does not accept the mail, Django logs it.
    """
    if user.email:
        told = (user.pk, action, int(time.time() * 1_000_000), context.current().address)
        transaction.on_commit(lambda: send_notice_mail.delay(*told), robust=True)
