"""The settings of this process, and the scripts that all processes share."""

from collections.abc import Callable, Iterator

from django.conf import settings
from django.core import checks

from poolsite import hotpath
from poolsite.operations.doctor.lines import away, judged, ok, warn
from poolsite.operations.doctor.readings import BILLING, HOT
from poolsite.operations.registry import DoctorLine
from poolsite.runtime import startup

NAMES_SHOWN = 3
# Django's checks that repeat ours: the secret key, debugging, the hosts, and TLS.
SAID = {"security.W009", "security.W018", "security.W020"}
SAID_WITHOUT_TLS = {"security.W004", "security.W008", "security.W012", "security.W016"}


def settings_refused() -> Iterator[DoctorLine]:
    """Check for settings with which a server refuses to start. Redis has its own examinations."""
    refusals = dict.fromkeys(startup.settings_refusals())
    yield from map(judged, refusals)
    if not refusals:
        yield ok("a server starts with the settings of this environment")


def settings_advised() -> Iterator[DoctorLine]:
    """Check for settings that a server accepts but that don't suit production."""
    found = list(_advice())
    yield from found
    if not found:
        yield ok("nothing to advise")


def _advice() -> Iterator[DoctorLine]:
    if settings.DEBUG:
        yield warn("POOLSITE_DEBUG=1: for your own machine only", "Unset it on a site.")
    if settings.DEMO:
        yield warn("POOLSITE_DEMO=1: for your own machine only", "Unset it on a site.")
    if settings.DEBUG or settings.DEMO:
        return
    if not settings.METRICS_TOKEN:
        yield warn(
            "POOLSITE_METRICS_TOKEN is not set: /metrics is closed",
            "Set it, and give the token to Prometheus.",
        )
    if not settings.BEHIND_TLS:
        yield warn(
            "POOLSITE_BEHIND_TLS is not set: passwords and cookies are sent in plain text",
            "Put a proxy with TLS in front, and set POOLSITE_BEHIND_TLS=1.",
        )
    elif not settings.SECURE_HSTS_SECONDS:
        yield warn(
            "POOLSITE_HSTS_SECONDS=0: browsers also try plain HTTP",
            "Unset it when HTTPS works: the default is a year.",
        )
    if settings.DEFAULT_FROM_EMAIL.endswith("@localhost"):
        yield warn(
            f"Emails are from {settings.DEFAULT_FROM_EMAIL}, which many mail servers refuse",
            "Set POOLSITE_MAIL_FROM to an address of your domain.",
        )
    if settings.PAYMENTS and not settings.PUBLIC_HOST:
        yield warn(f"Payment providers call {settings.PAYMENT_HOST}", "Set POOLSITE_PUBLIC_HOST.")
    said = SAID if settings.BEHIND_TLS else SAID | SAID_WITHOUT_TLS
    for message in checks.run_checks(include_deployment_checks=True):
        if not message.is_silenced() and message.id not in said:
            yield warn(f"manage.py check: {message.id} {message.msg}", message.hint or "")


def scripts() -> Iterator[DoctorLine]:
    """Check that every master of the hot path has the scripts of this release."""
    for name, missing in _ask_each(hotpath.HotPath.missing_scripts):
        if isinstance(missing, hotpath.HotPathError):
            yield away(f"{name}: {missing}")
        elif missing:
            titles = sorted({title for _node, title in missing})
            more = ", …" if len(titles) > NAMES_SHOWN else ""
            yield warn(
                f"{name}: {len(titles)} not loaded, or of another release: "
                f"{', '.join(titles[:NAMES_SHOWN])}{more}",
                "Run manage.py scripts. Poolsite loads what it calls; switches that call Redis "
                "themselves can't.",
            )
        else:
            yield ok(f"{name}: all {len(hotpath.registered())} scripts of this release loaded")


def releases() -> Iterator[DoctorLine]:
    """Check whether the servers have libraries of other releases, as during an upgrade."""
    for name, others in _ask_each(hotpath.HotPath.other_libraries):
        if isinstance(others, hotpath.HotPathError):
            yield away(f"{name}: {others}")
        elif others:
            count = len({library for _node, library in others})
            yield ok(
                f"{name}: {count} libraries of other releases, as during an upgrade. Afterwards, "
                "manage.py scripts --prune deletes them"
            )
        else:
            yield ok(f"{name}: no libraries of other releases")


def _ask_each(
    ask: Callable[[hotpath.HotPath], list[tuple[str, str]]],
) -> Iterator[tuple[str, list[tuple[str, str]] | hotpath.HotPathError]]:
    """Yield each hot path's setting with its answer, or with the error that it raised."""
    further = {f"{BILLING} {name}": url for name, url in settings.BILLING_REDIS_URLS.items()}
    for name, url in {HOT: settings.REDIS_URL, **further}.items():
        path = hotpath.HotPath(url)
        try:
            yield name, ask(path)
        except hotpath.HotPathError as error:
            yield name, error
        finally:
            path.close()
