"""Checks for unsafe settings. Each is refused with a sentence that contains the remedy.

The checks read the settings, the environment and the command line, and do no I/O.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from ipaddress import ip_address, ip_network
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings

from poolsite.access.oidc import mapping

SHORTEST_KEY, FEWEST_CHARACTERS = 50, 10
# Words in keys that were copied from a document. A random key does not contain them.
PLACEHOLDERS = ("insecure", "example", "changeme", "change-me", "change_me", "default", "replace")
MAKE_KEY = "python -c 'import secrets; print(secrets.token_urlsafe(48))'"
MAIL = "django.core.mail.backends."
TO_THE_LOG = f"{MAIL}console.EmailBackend"
TO_NOBODY = {f"{MAIL}{name}.EmailBackend" for name in ("filebased", "locmem", "dummy")}
PRELOAD_SECONDS = 365 * 24 * 3600  # required by the browsers' preload list
LONGEST_ISSUER, DISCOVERY_PATH = 200, "/.well-known/openid-configuration"
# The options that set a server's listening address. Without one, it listens on 127.0.0.1.
LISTEN_OPTIONS = {"uvicorn": ("--host",), "daphne": ("-b", "--bind")}


def refusals() -> Iterator[str]:
    """Yield a refusal for every unsafe setting of this process."""
    yield from key_refusals()
    yield from host_refusals()
    yield from public_refusals(sys.argv)
    yield from proxy_refusals()
    yield from mail_refusals()
    yield from hsts_refusals()
    yield from single_sign_on_refusals()


def key_refusals() -> Iterator[str]:
    """Refuse a secret key that can be known or guessed. It signs sessions and links."""
    key = settings.SECRET_KEY
    if settings.DEBUG:  # only for a developer's own machine: see public_refusals
        return
    if key == settings.DEFAULT_SECRET_KEY:
        fault = "is not set"
    elif len(key) < SHORTEST_KEY:
        fault = f"has {len(key)} characters, which is too few"
    elif len(set(key)) < FEWEST_CHARACTERS:
        fault = f"has only {len(set(key))} different characters"
    elif any(word in key.lower() for word in PLACEHOLDERS):
        fault = "is an example from a document"
    else:
        return
    yield (
        f"POOLSITE_SECRET_KEY {fault}: set POOLSITE_SECRET_KEY to {SHORTEST_KEY} random "
        f"characters or more, for instance with {MAKE_KEY}"
    )


def host_refusals() -> Iterator[str]:
    """Refuse wildcards as host names. Mailed links are built from the request's host name."""
    for host in settings.ALLOWED_HOSTS:
        if host == "*" or (host.startswith(".") and "." not in host[1:] and not is_local(host)):
            yield (
                f"POOLSITE_ALLOWED_HOSTS contains {host!r}, which lets a visitor choose the host "
                "name in mailed links: list the host names of this site instead, for instance "
                "console.example.com"
            )


def public_refusals(command: Sequence[str]) -> Iterator[str]:
    """Refuse to serve the demo or debug pages to other machines.

    Many people know the demo's logins, and debug pages show the settings. command: the command
    line, beginning with the program.
    """
    mode = "POOLSITE_DEMO=1" if settings.DEMO else "POOLSITE_DEBUG=1" if settings.DEBUG else ""
    if not mode:
        return
    public = [host for host in settings.ALLOWED_HOSTS if host != "*" and not is_local(host)]
    if public:
        yield (
            f"{mode} is for your own machine, but POOLSITE_ALLOWED_HOSTS contains "
            f"{', '.join(public)}: unset {mode.partition('=')[0]}, or allow only localhost"
        )
    for address in listens_on(command):
        if not is_local(address):
            yield (
                f"{mode} is for your own machine, but the server is set to listen on {address}: "
                f"unset {mode.partition('=')[0]}, or listen on 127.0.0.1"
            )


def listens_on(command: Sequence[str]) -> Iterator[str]:
    """Yield the addresses on which the command line or the demo's setting makes a server listen."""
    if settings.DEMO and os.environ.get("POOLSITE_HOST"):
        yield os.environ["POOLSITE_HOST"]
    program = Path(command[0]) if command else Path()
    name = program.parent.name if program.name == "__main__.py" else program.name
    given = list(command[1:])
    if given[:1] == ["runserver"]:
        words = [word for word in given[1:] if not word.startswith("-")]
        yield from (word.rpartition(":")[0].strip("[]") for word in words if ":" in word)
        return
    for option in LISTEN_OPTIONS.get(name, ()):
        for index, word in enumerate(given):
            if word == option:
                yield from given[index + 1 : index + 2]
            elif word.startswith(f"{option}="):
                yield word.partition("=")[2]
            elif len(option) == 2 and word.startswith(option) and not word.startswith("--"):
                yield word[2:]


def is_local(host: str) -> bool:
    """Whether only this machine can reach a host name or address."""
    name = host.strip("[]").lstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def proxy_refusals() -> Iterator[str]:
    """Refuse wrong proxy settings. Login and rate limits use addresses, which a proxy hides."""
    if settings.BEHIND_TLS and not settings.TRUSTED_PROXIES:
        yield (
            "POOLSITE_BEHIND_TLS=1 without POOLSITE_TRUSTED_PROXIES gives every client the "
            "proxy's address: set POOLSITE_TRUSTED_PROXIES to the proxy's network, for instance "
            "127.0.0.1/32, or to unix"
        )
    for proxy in settings.TRUSTED_PROXIES:
        if proxy == "unix":
            continue
        try:
            is_everyone = ip_network(proxy).prefixlen == 0
        except ValueError as error:
            yield (
                f"POOLSITE_TRUSTED_PROXIES contains {proxy!r}, which is not a network ({error}): "
                "write for instance 10.0.0.0/8, 127.0.0.1/32 or unix"
            )
            continue
        if is_everyone:
            yield (
                f"POOLSITE_TRUSTED_PROXIES contains {proxy}, which lets every client choose its "
                "address: name only the networks of your proxies"
            )


def mail_refusals() -> Iterator[str]:
    """Refuse mail settings that log the links of invitations and new passwords, or send no mail."""
    backend = settings.EMAIL_CONFIG["EMAIL_BACKEND"]
    if settings.DEBUG:
        return
    if backend == TO_THE_LOG:
        yield (
            "EMAIL_URL=consolemail:// writes the links of invitations and new passwords to the "
            "log: set EMAIL_URL to a mail server, for instance smtp+tls://user:password@host:587"
        )
    elif backend in TO_NOBODY and not settings.DEMO:
        yield (
            "EMAIL_URL has no mail server, so no one can be invited or get a new password: "
            "set EMAIL_URL, for instance to smtp+tls://user:password@host:587"
        )


def hsts_refusals() -> Iterator[str]:
    """Refuse preloading for less than a whole domain or a year: browsers' lists require both."""
    whole = settings.SECURE_HSTS_INCLUDE_SUBDOMAINS
    if settings.SECURE_HSTS_PRELOAD and not (
        whole and settings.SECURE_HSTS_SECONDS >= PRELOAD_SECONDS
    ):
        yield (
            "POOLSITE_HSTS_PRELOAD=1 promises HTTPS for the whole domain: set "
            f"POOLSITE_HSTS_SUBDOMAINS=1 and POOLSITE_HSTS_SECONDS to {PRELOAD_SECONDS} or more, "
            "or unset POOLSITE_HSTS_PRELOAD"
        )


def single_sign_on_refusals() -> Iterator[str]:
    """Refuse an incomplete provider, one without TLS, and unknown rights for its groups."""
    issuer = settings.OIDC_ISSUER
    if not issuer:
        for name, value in (("ONLY", settings.OIDC_ONLY), ("CLIENT_ID", settings.OIDC_CLIENT_ID)):
            if value:
                yield (
                    f"POOLSITE_OIDC_{name} is set without POOLSITE_OIDC_ISSUER: set it to the "
                    "provider's issuer, for instance https://login.example.com/realms/staff"
                )
        return
    parts = urlsplit(issuer)
    if parts.scheme != "https" and not (parts.scheme == "http" and is_local(parts.hostname or "")):
        yield f"POOLSITE_OIDC_ISSUER is {issuer!r}: it must begin with https://"
    elif parts.query or parts.fragment or len(issuer) > LONGEST_ISSUER:
        yield f"POOLSITE_OIDC_ISSUER is {issuer!r}: give the issuer alone, without ? and #"
    if issuer.endswith(DISCOVERY_PATH):
        yield f"POOLSITE_OIDC_ISSUER ends with {DISCOVERY_PATH}: leave that out"
    for name in ("CLIENT_ID", "CLIENT_SECRET"):
        if not getattr(settings, f"OIDC_{name}"):
            yield f"POOLSITE_OIDC_ISSUER is set without POOLSITE_OIDC_{name}: set it, too"
    if "openid" not in settings.OIDC_SCOPES:
        yield "POOLSITE_OIDC_SCOPES has no openid: write for instance openid,profile,email"
    try:
        mapping.read(settings.OIDC_ROLES)
    except mapping.MappingError as error:
        yield f"POOLSITE_OIDC_ROLES can't be used: {error}. See docs/operations/single-sign-on.md"
