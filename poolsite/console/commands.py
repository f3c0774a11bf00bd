"""What the manage.py commands of the apps share: one verb per call, and refusals as a sentence."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, ClassVar

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import Error as DatabaseError
from redis.exceptions import RedisError

from poolsite import hotpath
from poolsite.access.models import Account
from poolsite.api.problems import RefusedError


class VerbCommand(BaseCommand):
    """Runs the function that the verb's parser set as `run`. Subclasses add the verbs.

    `refusals`: an app's own errors, whose text is shown unchanged.
    """

    refusals: ClassVar[tuple[type[Exception], ...]] = ()

    def handle(self, *args: Any, **options: Any) -> None:
        run: Callable[..., None] = options["run"]
        try:
            run(options)
        except ValidationError as error:
            raise CommandError(_told(error)) from None
        except RefusedError as error:
            sentences = [error.detail, *error.more.get("problems", ())]
            raise CommandError("\n".join(map(str, sentences))) from None
        except self.refusals as error:
            raise CommandError(str(error.args[0])) from None
        except hotpath.AggregateRefused as error:
            raise CommandError(f"Refused: {error.reason}") from None
        except hotpath.UnknownOutcome as error:
            raise CommandError(
                f"Sent to Redis, but no answer came; the outcome is unknown: {error}"
            ) from None
        except (hotpath.HotPathError, RedisError) as error:
            raise CommandError(f"Can't reach Redis: {error}") from None
        except DatabaseError as error:
            raise CommandError(f"Database error: {error}") from None
        except OSError as error:
            raise CommandError(str(error)) from None


def _told(error: ValidationError) -> str:
    """Return the error's sentences, each with its setting."""
    if not hasattr(error, "error_dict"):
        return " ".join(error.messages)
    return " ".join(
        " ".join(texts) if name == NON_FIELD_ERRORS else f"{name}: {' '.join(texts)}"
        for name, texts in error.message_dict.items()
    )


def account_of(slug: str) -> Account | None:
    """Return the account with that slug, or None for "". Raise CommandError if it's missing."""
    if not slug:
        return None
    account = Account.objects.filter(slug=slug).first()
    if account is None:
        raise CommandError(f"Account {slug} not found.")
    return account


def moment_of_text(text: str) -> datetime:
    """Return a moment with its zone. Raise CommandError for anything else."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise CommandError(
            f"{text} is not a date and time. Example: 2026-01-31T08:00+08:00"
        ) from None
    if moment.tzinfo is None:
        raise CommandError(f"{text} has no time zone. Example: 2026-01-31T08:00+08:00")
    return moment
