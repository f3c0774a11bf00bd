"""Which commands of manage.py need Redis, and the start of an embedded one for them."""

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
    """Make Redis answer for the command that `arguments` (argv without the program) names.

    Raises SystemExit with one sentence if it cannot.
    """
    with contextlib.suppress(OSError, ImproperlyConfigured):
        private_folder(settings.DATA_DIR)  # SQLite's file and Redis' folder stand there
    command = next((word for word in arguments if not word.startswith("-")), "help")
    if command in WITHOUT_REDIS or {"--help", "-h", "--version"} & set(arguments):
        return
    try:
        embedded.use()
        refusals = list(startup.redis_refusals())
    except (RedisServerError, OSError, ImproperlyConfigured) as error:
        refusals = [str(error)]
    if refusals:
        sys.exit("\n".join(refusals))
