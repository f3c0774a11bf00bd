"""The mails about people: invitations, new passwords, and changes to how they log in."""

from allauth.account.utils import user_pk_to_url_str
from django.conf import settings
from django.core.mail import send_mail
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import override

from poolsite.access.logins import find_user
from poolsite.access.mailed_links import link_of
from poolsite.access.models import Invitation, User
from poolsite.access.reset_links import reset_links
from poolsite.moments import moment_of, zone_of

# The changes that the owner of a log-in is notified of, by their names in the audit log.
NOTICES = {
    "access.factor_add": _("An authenticator app was added to your login."),
    "access.factor_remove": _("Your authenticator app was removed."),
    "access.passkey_add": _("A passkey was added to your login."),
    "access.passkey_remove": _("One of your passkeys was removed."),
    "access.factor_blocked": _("Someone entered your password and then several incorrect codes."),
    "access.recovery_code_use": _("One of your recovery codes was used."),
    "access.recovery_codes_renew": _("New recovery codes replaced your old ones."),
    "access.password_set": _("Your password was changed."),
    "access.sign_on_link": _("Single sign-on was added to your login."),
    "access.sign_on_unlink": _("Single sign-on was removed from your login."),
}


def site_of(request: HttpRequest) -> str:
    """Return where mailed links lead: POOLSITE_PUBLIC_HOST, else the host that the request names.

    A request can name another host of ALLOWED_HOSTS than the one that the reader knows.
    """
    scheme = "https" if settings.BEHIND_TLS else request.scheme
    return f"{scheme}://{settings.PUBLIC_HOST or request.get_host()}"


def send_notice(user_id: int, action: str, at_us: int, address: str) -> bool:
    """Mail one of NOTICES in the user's language and zone; return False without an address."""
    user = User.objects.filter(pk=user_id).exclude(email="").first()
    if user is None:
        return False
    shown = {
        "user": user,
        "what": NOTICES[action],
        "at": moment_of(at_us),
        "address": address,
    }
    with timezone.override(zone_of(user.zone)):
        _send("notice", user.email, shown, user.locale)
    return True


def send_reset(email: str, site: str) -> bool:
    """Mail a link that sets a new password; return False if no active user has this address."""
    user = find_user(email) if "@" in email else None
    if user is None or not user.is_active:
        return False
    secret = f"{user_pk_to_url_str(user)}-{reset_links.make_token(user)}"
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
