"""The mails about people: invitations and new passwords."""

from django.conf import settings
from django.contrib.auth.tokens import default_token_generator
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import override

from poolsite.access.logins import find_user
from poolsite.access.mailed_links import link_of
from poolsite.access.models import Invitation


def send_reset(email: str, site: str) -> bool:
    """Mail a link that sets a new password; False when no active user has this address."""
    user = find_user(email) if "@" in email else None
    if user is None or not user.is_active:
        return False
    uid = urlsafe_base64_encode(force_bytes(user.pk))
    secret = f"{uid}.{default_token_generator.make_token(user)}"
    minutes = settings.PASSWORD_RESET_TIMEOUT // 60
    link = link_of(site, "access:reset_open", secret)
    context = {"user": user, "link": link, "minutes": minutes}
    _send("reset", user.email, context, user.locale)
    return True


def send_invitation(invitation: Invitation, secret: str, site: str) -> None:
    """Mail the link by which the invited person joins."""
    link = link_of(site, "access:join_open", secret)
    locale = invitation.account.locale if invitation.account is not None else ""
    _send("invitation", invitation.email, {"invitation": invitation, "link": link}, locale)


def _send(name: str, to: str, context: dict[str, object], locale: str) -> None:
    with override(locale or settings.LANGUAGE_CODE):
        shown = {**context, "platform_name": settings.PLATFORM_NAME}
        subject = render_to_string(f"access/mail/{name}_subject.txt", shown)
        body = render_to_string(f"access/mail/{name}.txt", shown)
    send_mail(" ".join(subject.split()), body, None, [to])
