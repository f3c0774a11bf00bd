"""The page of a form: shown, saved by a service, or shown again with the errors.

A view returns `saved(form, save, then) or form_page(request, template, context)`.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from poolsite.api.problems import RefusedError

T = TypeVar("T")
PROBLEMS_SHOWN = 20  # rows of a file that a refusal lists


def saved(
    form: BaseForm,
    save: Callable[..., T],
    then: Callable[[T], HttpResponse],
    *,
    given: Callable[[], dict[str, Any]] | None = None,
) -> HttpResponse | None:
    """Pass the form's values to a service. Return the response that `then` makes of the result.

    Return None if nothing was sent, or if it was refused and the form has the errors.
    given: the service's arguments, by default every field of the form.
    """
    if not form.is_valid():
        return None
    try:
        made = save(**(given() if given else form.cleaned_data))
    except (ValidationError, RefusedError) as error:
        add_errors(form, error)
        return None
    return then(made)


def redirect_with(
    request: HttpRequest, words: str, to: str, *args: Any, **kwargs: Any
) -> Callable[[object], HttpResponse]:
    """Return a `then` that redirects to the page `to` and shows this message there."""

    def then(_made: object) -> HttpResponse:
        messages.success(request, words)
        answer: HttpResponse = redirect(to, *args, **kwargs)
        return answer

    return then


def form_page(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """Return the page. The status is 422 if a form of the context has errors."""
    forms = [each for each in context.values() if isinstance(each, BaseForm)]
    status = 422 if any(form.errors for form in forms) else 200
    return render(request, template, context, status=status)


def add_errors(form: BaseForm, error: ValidationError | RefusedError) -> None:
    """Show a service's errors next to their fields, or above the form."""
    if isinstance(error, RefusedError):
        problems = [str(each) for each in error.more.get("problems", ())]
        form.add_error(None, ValidationError([error.detail, *problems[:PROBLEMS_SHOWN]]))
    elif not hasattr(error, "error_dict"):
        form.add_error(None, error)
    else:
        for name, faults in error.message_dict.items():
            target: Any = name if name in form.fields else None
            form.add_error(target, faults)
