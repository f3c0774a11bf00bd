"""The platform's own staff: operators and their grants."""

from functools import partial

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from poolsite.access import decide, principal_of_request, selectors, services
from poolsite.access.confirming import asks_again, require_confirmed
from poolsite.access.models import Grant, GrantName, Invitation, User
from poolsite.access.services.managing import GrantsChange
from poolsite.console import tables
from poolsite.console.form_pages import form_page, redirect_with, saved
from poolsite.people.forms import ActiveForm, GrantsForm, InviteOperatorForm, ReasonForm
from poolsite.people.views.common import asks, sign_on_of
from poolsite.people.views.invitations import mail_invitation
from poolsite.people.views.person_columns import person_columns


@never_cache
@require_GET
@asks("access.operators_view")
def operators(request: HttpRequest) -> HttpResponseBase:
    """Show the staff and the open invitations."""
    text = tables.text_of(request, "q")
    context = {
        "invitations": selectors.open_invitations(None),
        "finance_requests": selectors.waiting_finance_requests()[:200],
        "may_change": decide(principal_of_request(request), "access.operators_change").allowed,
        "text": text,
    }
    return tables.answer(
        request,
        "access/operators.html",
        selectors.operators(text=text),
        person_columns("grants", _("Grants"), _grants),
        given={"q": text},
        file="operators",
        default="name",
        counted=lambda n: ngettext("%(n)s operator", "%(n)s operators", n) % {"n": n},
        context=context,
    )


def _grants(user: User) -> list[str]:
    """Return the grants as the API names them; one for an object with the object's name."""
    held = [" ".join(filter(None, (grant.name, grant.thing))) for grant in user.grants.all()]
    return [*held, "everything"] if user.is_superuser else held


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@asks("access.operators_change")
@asks_again
def operator_invite(request: HttpRequest) -> HttpResponseBase:
    """Invite an operator. No one can give grants that they don't have."""
    form = InviteOperatorForm(request.POST or None)

    def done(made: tuple[Invitation, str]) -> HttpResponse:
        mail_invitation(request, *made)
        return redirect("access:operators")

    save = partial(services.operator_invite, actor=principal_of_request(request))
    context = {"form": form}
    return saved(form, save, done) or form_page(request, "access/operator_invite.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@asks("access.operators_change")
@asks_again
def operator(request: HttpRequest, user_id: int) -> HttpResponseBase:
    """Show and change an operator's grants."""
    user = get_object_or_404(User, pk=user_id, is_operator=True)
    held = Grant.objects.filter(user=user, thing="").values_list("name", flat=True)
    form = GrantsForm(request.POST or None, initial={"grants": sorted(held)})

    def done(change: GrantsChange) -> HttpResponse:
        if change.waits:
            words = _("The Finance grant is waiting for approval by another finance operator.")
            messages.info(request, words)
        if change.changed:
            messages.success(request, _("Grants saved. They take effect immediately."))
        return redirect("access:operators")

    save = partial(services.operator_set, user=user, actor=principal_of_request(request))
    if answer := saved(form, save, done):
        return answer
    waiting = selectors.waiting_finance_requests(user).first()
    context = {"form": form, "person": user, "waiting": waiting, **sign_on_of(user)}
    return form_page(request, "access/operator.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@asks("access.operators_change")
def deactivate(request: HttpRequest, user_id: int) -> HttpResponseBase:
    """Deactivate or reactivate a user; operators can do this to anyone but themselves."""
    user = get_object_or_404(User, pk=user_id)
    if not user.is_active:
        require_confirmed(request)  # this gives a person access
    form = ActiveForm(request.POST or None, initial={"active": not user.is_active})
    save = partial(services.user_set_active, user=user, actor=principal_of_request(request))
    if answer := saved(form, save, lambda _done: redirect(_list_of(user))):
        return answer
    holds_finance = user.grants.filter(name=GrantName.FINANCE).exists() or user.is_superuser
    context = {"form": form, "person": user, "holds_finance": holds_finance}
    return form_page(request, "access/deactivate.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@asks("access.operators_change")
@asks_again
def factor_reset(request: HttpRequest, user_id: int) -> HttpResponseBase:
    """Delete another user's lost authenticator app; the user sets up a new one."""
    user = get_object_or_404(User, pk=user_id)
    form = ReasonForm(request.POST or None)
    save = partial(services.factors_reset, user=user, actor=principal_of_request(request))
    done = redirect_with(request, _("Authenticator app removed."), _list_of(user))
    context = {"form": form, "person": user}
    return saved(form, save, done) or form_page(request, "access/factor_reset.html", context)


def _list_of(user: User) -> str:
    """Return the page that lists the user: operators, or accounts."""
    return "access:operators" if user.is_operator else "access:accounts"


@never_cache
@require_POST
@asks("access.operators_change")
def operator_withdraw(request: HttpRequest, invitation_id: int) -> HttpResponseBase:
    """Withdraw an operator's invitation."""
    invitation = get_object_or_404(Invitation, pk=invitation_id, account=None)
    services.invitation_withdraw(invitation=invitation, actor=principal_of_request(request))
    messages.success(request, _("Invitation withdrawn."))
    return redirect("access:operators")
