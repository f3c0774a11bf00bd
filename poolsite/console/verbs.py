"""Reads the input of a page's verbs, and reports a refusal: as a sentence on the next page
(`carry_out`), or in JSON to the page's own module (`answers_json`).
"""

import json
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.forms import Form
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from poolsite import access, hotpath
from poolsite.access import Principal
from poolsite.api.problems import RefusedError, status_of
from poolsite.console.pages import principal_of

P = ParamSpec("P")
T = TypeVar("T")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]
BODY_LIMIT_BYTES = 10_000
TEXT_LENGTH = 200


def carry_out(request: HttpRequest, verb: Callable[[], object], sentence: str = "") -> bool:
    """Run a verb and show the sentence, by default its result, or why nothing was done.

    Return whether it was done.
    """
    try:
        result = verb()
        messages.success(request, sentence or str(result))
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    except RefusedError as error:
        messages.error(request, error.detail)
    except hotpath.UnknownOutcome:
        messages.error(
            request,
            _(
                "Redis received the request but did not respond. Check the result before you try "
                "again."
            ),
        )
    except hotpath.HotPathError:
        messages.error(request, _("Redis is down. Nothing was changed."))
    else:
        return True
    return False


def act(
    request: HttpRequest, verbs: Mapping[str, Callable[[Principal, T, HttpRequest], str]], thing: T
) -> bool:
    """Carry out the verb that the form names. It gets the object and returns the text to show.

    Return whether it was done.
    """
    verb = verbs.get(request.POST.get("verb", ""))
    if verb is None:
        messages.error(request, _("Action not found."))
        return False
    return carry_out(request, lambda: verb(principal_of(request), thing, request))


def next_of(request: HttpRequest, default: str = "") -> str:
    """Return where the reader wanted to go: a path of this site, otherwise `default`."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    safe = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if safe else default


def word_of(request: HttpRequest, name: str, length: int = TEXT_LENGTH) -> str:
    """Return a short text of the sent form."""
    return _short(request.POST.get(name, ""), length)


def check_typed(request: HttpRequest, slug: str) -> None:
    """Raise ValidationError unless the slug of what is to be deleted was entered as `typed`."""
    if word_of(request, "typed") != slug:
        raise ValidationError(_("Enter the short name to confirm."))


def cleaned(form: Form) -> dict[str, Any]:
    """Return a small form's values. Raise ValidationError with its errors as one text."""
    if not form.is_valid():
        faults = [str(fault) for faults in form.errors.values() for fault in faults]
        raise ValidationError(" ".join(faults))
    return form.cleaned_data


def body_of(request: HttpRequest) -> dict[str, Any]:
    """Return the small JSON object that a page's module sent. Raise ValidationError if invalid."""
    raw = request.body
    if len(raw) > BODY_LIMIT_BYTES:
        raise ValidationError(_("The request is too large."))
    try:
        found = json.loads(raw or b"{}")
    except (ValueError, RecursionError):
        raise ValidationError(_("The request can't be read.")) from None
    if not isinstance(found, dict):
        raise ValidationError(_("The request can't be read."))
    return found


def reason_of(body: dict[str, Any], *, required: bool = True) -> str:
    """Return the user's reason. Raise ValidationError if it is missing but required."""
    given = body.get("reason", "")
    reason = _short(given, TEXT_LENGTH) if isinstance(given, str) else ""
    if required and not reason:
        raise ValidationError(_("Enter a short reason."))
    return reason


def answers_json(view: View[P], sentence: Callable[[str], str] = str) -> View[P]:
    """Report errors in JSON, so that the page can show what happened and what was saved.

    sentence: an app's own texts for its scripts' refusals.
    """

    @wraps(view)
    def answered(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except ValidationError as error:
            return refused(_("This can't be done"), " ".join(error.messages), 422)
        except access.FactorNeeded:
            detail = _(
                "Nothing was changed. Reload the page and confirm with two-factor authentication."
            )
            return refused(_("Two-factor check required"), detail, 403)
        except RefusedError as error:
            detail = sentence(error.detail)
            return refused(_("This can't be done"), detail, status_of(error.kind))
        except hotpath.UnknownOutcome:
            detail = _(
                "Redis received the request but did not respond. Check the result before you "
                "try again."
            )
            return refused(_("Outcome unknown"), detail, 504)
        except hotpath.HotPathError:
            return refused(_("Redis is down"), _("Nothing was changed."), 503)

    return answered


def refused(title: str, detail: str, status: int) -> JsonResponse:
    """Return a refusal in the format that static/js/shared/dom.js reads."""
    return JsonResponse({"title": title, "detail": detail, "status": status}, status=status)


def _short(text: str, length: int) -> str:
    return " ".join(text.split())[:length]
