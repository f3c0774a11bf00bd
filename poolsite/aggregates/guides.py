"""The first step of a goal: create an aggregate."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.urls import reverse

from poolsite.console import GoalStep
from poolsite.console.goal_forms import with_short_name
from poolsite.console.goals import Guide
from poolsite.hotpath.rows import RedisRow


def create_step(
    model: type[RedisRow],
    title: Any,
    text: Any,
    right: str,
    *,
    page: str,
    form: Callable[[Any], forms.Form],
    button: Any,
    create: Callable[[Guide, Any], Any],
    said: Any,
    first: tuple[str, ...] = ("name",),
) -> GoalStep:
    """Return the step that creates the goal's subject, unless it exists. page: its page's URL name.

    form: gets the sent data, with a short name made from the name.
    create: gets the guide and the valid form.
    said: the message about the new aggregate, with %(name)s.
    """
    name = str(model._meta.model_name)
    return GoalStep(
        name,
        title,
        text,
        right,
        lambda guide: guide.subject,
        lambda _guide, made: str(made.name),
        link=lambda _guide, made: reverse(page, args=[made.slug]),
        form=lambda _guide, data: form(with_short_name(data, model, name)),
        first=first,
        button=button,
        save=lambda guide, given: str(said) % {"name": create(guide, given).name},
    )
