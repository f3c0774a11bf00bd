"""Which commands of manage.py need Redis, and the start of an embedded one for them."""

import sys

from django.core.exceptions import ImproperlyConfigured

from poolsite.runtime import embedded
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
    command = next((word for word in arguments if not word.startswith("-")), "help")
    if command in WITHOUT_REDIS or {"--help", "-h", "--version"} & set(arguments):
        return
    try:
        embedded.use()
    except (RedisServerError, OSError, ImproperlyConfigured) as error:
        sys.exit(f"{error}")
