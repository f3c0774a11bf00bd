"""Shows pages in the reader's language and times in the reader's zone."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation

from poolsite.console.pages import principal_of
from poolsite.moments import zone_of


class ReaderMiddleware:
    """Activates the user's zone and language. By default, those of the platform and the browser.

    Must come after access' PrincipalMiddleware.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        principal = principal_of(request)
        if principal.locale in dict(settings.LANGUAGES):
            translation.activate(principal.locale)
            request.LANGUAGE_CODE = principal.locale
        with timezone.override(zone_of(principal.zone)):
            return self.get_response(request)
