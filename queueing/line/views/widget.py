"""The chat on a tenant's own site: its script, the policy of its frame, its settings page."""

import json
from functools import cache, partial
from hashlib import sha256

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import condition, require_http_methods, require_safe

from poolsite.console.form_pages import form_page, redirect_with, saved
from poolsite.console.pages import principal_of
from queueing.line.forms.widgets import WidgetForm
from queueing.line.models import Desk, Queue
from queueing.line.selectors.widgets import loader_config, widget_of
from queueing.line.services.widgets import widget_configure
from queueing.line.views.common import desk_of, tabs
from queueing.line.views.settings import CONFIGURE

KEEP_SECONDS = 300
CONFIG = '"__CONFIG__"'  # replaced in the script by the queue's own


@gzip_page
def script(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the script that a site includes, with its queue's color and texts.

    404 if the queue does not exist. The URL is stable; browsers revalidate it by ETag after
    KEEP_SECONDS.
    """
    return _script(request, slug)


def _text(slug: str) -> str:
    queue = Queue.objects.select_related("desk").filter(slug=slug).first()
    if queue is None:
        raise Http404
    config = json.dumps(loader_config(queue), sort_keys=True)  # ASCII: safe in every charset
    return _source().replace(CONFIG, config)


@cache
def _source() -> str:
    return (settings.BASE_DIR / "static" / "js" / "line" / "widget.js").read_text()


def _etag(request: HttpRequest, slug: str) -> str:
    text = _text(slug)
    vars(request)["widget_script"] = text
    return f'"{sha256(text.encode()).hexdigest()[:24]}"'


@require_safe
@condition(etag_func=_etag)
def _script(request: HttpRequest, slug: str) -> HttpResponse:
    answer = HttpResponse(vars(request)["widget_script"], content_type="text/javascript")
    answer["Cache-Control"] = f"public, max-age={KEEP_SECONDS}"
    answer["Cross-Origin-Resource-Policy"] = "cross-origin"  # every site may load it
    return answer


def may_be_framed(response: HttpResponse, desk: Desk) -> None:
    """Allow this response in a frame of the console and of the desk's sites."""
    ancestors = ["'self'", *widget_of(desk).origins]
    response.xframe_options_exempt = True
    vars(response)["_csp_replace"] = {"frame-ancestors": ancestors}  # where django-csp reads it


@require_http_methods(["GET", "HEAD", "POST"])
def widget_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the chat's appearance, the sites that may show it, and the code to copy into them."""
    principal = principal_of(request)
    desk = desk_of(principal, slug, CONFIGURE)
    widget = widget_of(desk)
    form = WidgetForm(request.POST or None, instance=widget)
    save = partial(widget_configure, actor=principal, desk=desk)
    done = redirect_with(request, _("Widget settings saved."), "line:widget", slug=slug)
    if answer := saved(form, save, done, given=form.changes):
        return answer
    context = {
        **tabs(principal, desk),
        "tab": "settings",
        "form": form,
        "widget": widget,
        "queues": desk.queues.all(),
        "console": f"{request.scheme}://{request.get_host()}",
    }
    page = form_page(request, "line/widget.html", context)
    vars(page)["_csp_replace"] = {"frame-src": ["'self'"]}  # the chat preview on this page
    return page
