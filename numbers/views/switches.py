"""The switches of a pool: their list with their kinds, and a new switch with its token."""

from functools import partial

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from numbers import selectors, services
from numbers.forms import SwitchForm
from numbers.models import Pool, Switch, SwitchKind
from numbers.selectors.switches import media_not_chosen, switches_of
from poolsite import access
from poolsite.console.form_pages import form_page, saved
from poolsite.console.pages import principal_of
from poolsite.console.verbs import carry_out


@require_http_methods(["GET", "HEAD", "POST"])
def pool_switches(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the list. A POST adds a switch and shows its token once."""
    principal = principal_of(request)
    posted = request.method == "POST"
    pool = selectors.pool_get(principal, slug, "numbers.operate" if posted else "numbers.view")
    form = SwitchForm(request.POST if posted else None)
    save = partial(services.switch_create, actor=principal, pool=pool)
    shown_once = partial(_page, request, pool, SwitchForm())
    return saved(form, save, shown_once) or _page(request, pool, form)


def _page(
    request: HttpRequest, pool: Pool, form: SwitchForm, new: tuple[Switch | None, str] = (None, "")
) -> HttpResponse:
    """The list. `new`: a switch that was created, and its token."""
    context = {
        "pool": pool,
        "switches": switches_of(pool),
        "kinds": SwitchKind.choices,
        "not_chosen": media_not_chosen(pool),
        "may_operate": access.decide(principal_of(request), "numbers.operate", pool).allowed,
        "form": form,
        "made": new[0],
        "secret": new[1],
        "empty_title": _("No switches yet"),
        "empty_text": _("A switch appears here when you add it or when it reports an event."),
    }
    return form_page(request, "numbers/switches.html", context)


@require_POST
def switch_kind(request: HttpRequest, slug: str, switch_id: int) -> HttpResponse:
    """Set a switch's kind, then show the list."""
    principal = principal_of(request)
    pool = selectors.pool_get(principal, slug, "numbers.operate")
    switch = Switch.objects.select_related("pool").filter(pool=pool, pk=switch_id).first()
    if switch is None:
        raise Http404
    kind = request.POST.get("kind", "")[:20]
    carry_out(
        request,
        lambda: services.switch_configure(actor=principal, switch=switch, kind=kind),
        _("Type of %(switch)s saved.") % {"switch": switch.name},
    )
    return redirect("numbers:pool_switches", slug=pool.slug)
