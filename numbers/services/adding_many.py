"""Adds many numbers with individual labels. Each is added or refused separately."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from numbers.canonical import canonical
from numbers.models import Pool
from numbers.reason_words import rejection_of
from numbers.services.adding import clean_tags, numbers_add, refusal_of
from poolsite import number_format
from poolsite.access.services.actor import Actor, require


@dataclass(frozen=True, slots=True)
class ToAdd:
    """A number as it was given, with the values to store in SQL."""

    number: str
    label: str = ""
    notes: str = ""
    region: str = ""
    tags: tuple[str, ...] = ()

    @property
    def rest(self) -> tuple[str, str, str, tuple[str, ...]]:
        """Everything but the number. Items with the same rest are added together."""
        return self.label, self.notes, self.region, tuple(clean_tags(self.tags))


@dataclass(frozen=True, slots=True)
class Answered:
    """The result for one number. `kind` is "" (added), `malformed` or `not-allowed`."""

    number: str
    kind: str = ""
    why: str = ""


def numbers_add_each(
    *, actor: Actor, pool: Pool, items: Sequence[ToAdd], reason: str = ""
) -> list[Answered]:
    """Add numbers and return the results in order. A repeated number is added once."""
    require(actor, "numbers.operate", pool)
    answers: list[Answered | None] = [None] * len(items)
    alike: dict[tuple[str, str, str, tuple[str, ...]], dict[str, int]] = {}
    seen: set[str] = set()
    for place, item in enumerate(items):
        try:
            value = canonical(number_format.parse(item.number), pool.home_country)
        except number_format.NotANumberError as error:
            answers[place] = Answered(item.number[:40], "malformed", rejection_of(error))
            continue
        if value in seen:
            why = _("%(number)s is already in this pool.") % {"number": value}
            answers[place] = Answered(value, "not-allowed", why)
            continue
        seen.add(value)
        alike.setdefault(item.rest, {})[value] = place
    for (label, notes, region, tags), places in alike.items():
        done = numbers_add(
            actor=actor,
            pool=pool,
            values=places,
            label=label,
            notes=notes,
            region=region,
            tags=tags,
            reason=reason,
        )
        for value, place in places.items():
            why = refusal_of(done, value)
            answers[place] = Answered(value, "not-allowed" if why else "", why)
    return [each for each in answers if each is not None]
