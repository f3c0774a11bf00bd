"""Shared parts of the pages here: the user, and the form of a refusal."""

from typing import ParamSpec

from django.db.models import QuerySet
from django.http import HttpRequest

from numbers import selectors
from numbers.models import Number, Pool
from numbers.reason_words import sentence_of
from poolsite import access, number_format
from poolsite.console import verbs

P = ParamSpec("P")


def reason_of(request: HttpRequest, *, required: bool) -> str:
    """Return the reason that the user gave. Raise ValidationError if a required one is missing."""
    return verbs.reason_of(verbs.body_of(request), required=required)


def answers_json(view: verbs.View[P]) -> verbs.View[P]:
    """`verbs.answers_json`, with sentences for the refusals of a pool's scripts."""
    return verbs.answers_json(view, sentence_of)


def number_of(principal: access.Principal, value: str, action: str = "numbers.view") -> Number:
    """Return a number, in any format. Raise Hidden if it is missing or of another account."""
    result = number_format.normalise(value)
    known = result.value if isinstance(result, number_format.Normalised) else value
    return selectors.number_get(principal, known, action).number


def visible_pools(principal: access.Principal) -> QuerySet[Pool]:
    """The pools that the principal may see, by name."""
    return selectors.visible_pools(principal).order_by("name", "slug")
