"""The commands of manage.py that need Redis, and the start of an embedded Redis for them."""

import contextlib
import sys

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from poolsite.runtime import embedded, startup
from poolsite.runtime.paths import private_folder
from poolsite.runtime.redis_server import RedisServerError

WITHOUT_REDIS = frozenset(
    {
        *("help", "version", "check", "test", "diffsettings", "startapp", "startproject"),
        *("makemigrations", "squashmigrations", "optimizemigration", "sqlmigrate"),
        *("showmigrations", "sqlflush", "sqlsequencereset", "inspectdb", "dbshell"),
        *("collectstatic", "findstatic", "makemessages", "compilemessages"),
    }
)


def prepare(arguments: list[str]) -> None:
    """Make Redis available for the command in `arguments` (argv without the program).

    Raise SystemExit with one sentence if that fails.
    """
    command = next((word for word in arguments if not word.startswith("-")), "help")
    _require_settings()
    if command == "doctor":  # it reports problems itself, and starts nothing
        return
    with contextlib.suppress(OSError):
        private_folder(settings.DATA_DIR)  # for SQLite's file and Redis' folder
    if command in WITHOUT_REDIS or {"--help", "-h", "--version"} & set(arguments):
        return
    try:
        embedded.use()
        refusals = list(startup.redis_refusals())
    except (RedisServerError, OSError, ImproperlyConfigured) as error:
        refusals = [str(error)]
    if refusals:
        sys.exit("\n".join(refusals))


def _require_settings() -> None:
    """Raise SystemExit with one sentence unless the settings can be read."""
    try:
        str(settings.DATA_DIR)
    except ImproperlyConfigured as error:
        sys.exit(str(error))
