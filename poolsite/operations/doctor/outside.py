"""Servers outside the site: mail server, webhook receivers, the OpenID Connect provider."""

import smtplib
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.smtp import EmailBackend

from poolsite.operations import outgoing
from poolsite.operations.doctor import sql
from poolsite.operations.doctor.lines import fail, ok, skip, warn
from poolsite.operations.models import WebhookEndpoint
from poolsite.operations.registry import DoctorLine
from poolsite.runtime import safety

MAIL_SECONDS = 8  # less than an examination's time, so that the reason is shown
MOST_AT_ONCE = 32


def mail() -> Iterator[DoctorLine]:
    """Check that the mail server accepts the connection and the login. Nothing is sent."""
    backend = get_connection(timeout=MAIL_SECONDS)
    if not isinstance(backend, EmailBackend):
        yield from _no_server()
        return
    place = f"{backend.host}:{backend.port}"
    began = time.monotonic()
    try:
        backend.open()
    except (OSError, smtplib.SMTPException) as error:
        yield fail(f"{place}: {_reason(error)}", "Correct EMAIL_URL, or see the mail server's log.")
        return
    finally:
        backend.close()
    took = f"{1000 * (time.monotonic() - began):.0f} ms"
    how = "TLS" if backend.use_ssl else "STARTTLS" if backend.use_tls else "no TLS"
    who = "logged in" if backend.username else "no log-in"
    text = f"{place}: connected in {took}, {how}, {who}"
    if how == "no TLS" and backend.username and not safety.is_local(str(backend.host)):
        yield warn(
            f"{text}: the password is sent in plain text",
            "Use smtp+tls:// or smtp+ssl:// in EMAIL_URL.",
        )
    else:
        yield ok(text)


def _no_server() -> Iterator[DoctorLine]:
    refusals = [*safety.mail_refusals()]
    folder = settings.EMAIL_CONFIG.get("EMAIL_FILE_PATH")
    if refusals:
        yield skip("no mail server is set (see settings)")
    elif folder:
        yield skip(f"emails are saved in {Path(str(folder))}")
    else:
        yield skip(f"no mail server: {settings.EMAIL_CONFIG['EMAIL_BACKEND']}")


def send_test(address: str) -> DoctorLine:
    """Send a test mail. Return a line with the mail server's response."""
    message = EmailMessage(
        subject=f"[{settings.PLATFORM_NAME}] Test mail",
        body="This mail was sent by manage.py doctor --mail-to. No action is needed.",
        to=[address],
        connection=get_connection(timeout=MAIL_SECONDS),
    )
    try:
        message.send(fail_silently=False)
    except (OSError, ValueError, smtplib.SMTPException) as error:
        return fail(f"To {address}: {_reason(error)}", "See the mail server's answer and its log.")
    return ok(f"Accepted by the mail server, from {message.from_email} to {address}")


def _reason(error: Exception) -> str:
    """Return the reason that a mail server or the network gave, as text."""
    if isinstance(error, smtplib.SMTPAuthenticationError):
        return f"the log-in was refused: {error.smtp_code} {_text(error.smtp_error)}"
    if isinstance(error, smtplib.SMTPResponseException):
        return f"{error.smtp_code} {_text(error.smtp_error)}"
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return "; ".join(f"{code} {_text(text)}" for code, text in error.recipients.values())
    return str(error) or type(error).__name__


def _text(answer: bytes | str) -> str:
    return answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer


def webhooks() -> Iterator[DoctorLine]:
    """Check that each active webhook endpoint's server accepts connections. Send no request."""
    sql.require_answer()
    found = WebhookEndpoint.objects.filter(state=WebhookEndpoint.State.ACTIVE)
    urls = sorted(set(found.values_list("url", flat=True)))
    if not urls:
        yield skip("no active webhook endpoint")
        return
    with ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="doctor-webhook") as threads:
        outcomes = list(threads.map(outgoing.reach, urls))
    fine = sum(outcome.ok for outcome in outcomes)
    if fine:
        yield ok(f"reachable: {fine} of {len(urls)}")
    for url, outcome in zip(urls, outcomes, strict=True):
        if not outcome.ok:
            yield fail(
                f"{outgoing.place_of(url)}: {outcome.error}",
                "Correct the webhook endpoint's URL, or ask who runs that server.",
            )


def sign_on() -> Iterator[DoctorLine]:
    """Check that the OpenID Connect provider matches the settings and returns its keys."""
    if not settings.OIDC_ISSUER:
        yield skip("POOLSITE_OIDC_ISSUER is not set")
        return
    # Imported here because every process imports this module and few need an HTTP client.
    from allauth.socialaccount.providers.oauth2.client import OAuth2Error

    from poolsite.access.oidc import discovery

    began = time.monotonic()
    try:
        described = discovery.read()
        discovery.get_json(described["jwks_uri"])
    except OAuth2Error as error:
        yield fail(str(error), "Correct POOLSITE_OIDC_ISSUER, or start the provider.")
        return
    took = f"{1000 * (time.monotonic() - began):.0f} ms"
    yield ok(f"{settings.OIDC_ISSUER}: configuration and keys read in {took}")


def provider(setting: str, url: str) -> DoctorLine:
    """Return the line of a server that a setting names."""
    outcome = outgoing.reach(url, typed_in=False)
    place = f"{setting} ({outgoing.place_of(url)})"
    if outcome.ok:
        return ok(f"{place}: connected in {outcome.duration_ms} ms")
    return fail(f"{place}: {outcome.error}", "Correct the setting, or start that server.")
