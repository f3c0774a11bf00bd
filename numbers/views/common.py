"""What the pages here share: who asks, and what a refusal looks like."""

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
    """The reason that a person gave. ValidationError without one where it is needed."""
    return verbs.reason_of(verbs.body_of(request), required=required)


def answers_json(view: verbs.View[P]) -> verbs.View[P]:
    """`verbs.answers_json`, with our sentences for what a pool's scripts refuse."""
    return verbs.answers_json(view, sentence_of)


def number_of(principal: access.Principal, value: str, action: str = "numbers.view") -> Number:
    """A number, however it is written; a foreign or missing one is hidden."""
    result = number_format.normalise(value)
    known = result.value if isinstance(result, number_format.Normalised) else value
    return selectors.number_get(principal, known, action).number


def pool_of(principal: access.Principal, slug: str, action: str = "numbers.view") -> Pool:
    """A pool that the principal may do `action` to; a foreign or missing one is hidden."""
    return selectors.pool_get(principal, slug, action)


def visible_pools(principal: access.Principal) -> QuerySet[Pool]:
    """The pools that the principal may see, by their names."""
    return selectors.visible_pools(principal).order_by("name", "slug")
