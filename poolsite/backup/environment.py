"""The site's settings without its secrets: enough to set up another machine like it."""

import os
import re

OWN = re.compile(r"POOLSITE_.*|REDIS_URL|CACHE_URL|CELERY_BROKER_URL|DATABASE_URL|EMAIL_URL")
SECRET = re.compile(r"SECRET|KEY|TOKEN|PASSWORD|STORAGE")
HIDDEN = "(set, not shown)"


def settings_set() -> dict[str, str]:
    """Return the site's variables that are set; of possible secrets, only that they are set."""
    names = sorted(name for name in os.environ if OWN.fullmatch(name))
    return {name: _shown(name, os.environ[name]) for name in names}


def _shown(name: str, value: str) -> str:
    """Return a value to show, without log-ins and options of addresses: they may be passwords."""
    if SECRET.search(name):
        return HIDDEN
    if "://" not in value:
        return value
    address, _, options = value.partition("?")
    shown = re.sub(r"://[^/]*@", "://", address)
    return HIDDEN if "@" in shown + options else shown  # a log-in of an unusual form
