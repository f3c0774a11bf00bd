"""The platform's own staff: who is an operator, with which grants."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from poolsite.access import selectors, services
from poolsite.access.actions import decide
from poolsite.access.forms import GrantsForm, InviteOperatorForm, ReasonForm
from poolsite.access.giving import why_no_grants, why_not_alone
from poolsite.access.models import Grant, GrantName, Invitation, User
from poolsite.access.views.common import actor_of, add_errors, asks, asks_again, sign_on_of
from poolsite.access.views.invitations import mail_invitation
from poolsite.access.views.person_columns import person_columns
from poolsite.operations import tables


@never_cache
@require_GET
@asks("access.operators_view")
def operators(request: HttpRequest) -> HttpResponseBase:
    """The staff, and who is invited."""
    text = tables.text_of(request, "q")
    context = {
        "invitations": selectors.open_invitations(None),
        "finance_requests": selectors.waiting_finance_requests()[:200],
        "may_change": decide(actor_of(request), "access.operators_change").allowed,
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
    """The grants, as the API names them; one for a thing with the thing's name."""
    held = [" ".join(filter(None, (grant.name, grant.thing))) for grant in user.grants.all()]
    return [*held, "everything"] if user.is_superuser else held


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@asks("access.operators_change")
@asks_again
def operator_invite(request: HttpRequest) -> HttpResponseBase:
    """Invite an operator; nobody gives what he or she does not have."""
    form = InviteOperatorForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        principal = actor_of(request)
        if not set(form.cleaned_data["grants"]) <= principal.grants:
            form.add_error("grants", _("You can only give grants that you have."))
        else:
            invitation, secret = services.invitation_create(**form.cleaned_data, actor=principal)
            mail_invitation(request, invitation, secret)
            return redirect("access:operators")
    return render(request, "access/operator_invite.html", {"form": form})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@asks("access.operators_change")
@asks_again
def operator(request: HttpRequest, user_id: int) -> HttpResponseBase:
    """An operator's grants."""
    user = get_object_or_404(User, pk=user_id, is_operator=True)
    held = set(Grant.objects.filter(user=user, thing="").values_list("name", flat=True))
    form = GrantsForm(request.POST or None, initial={"grants": sorted(held)})
    if request.method == "POST" and form.is_valid():
        wanted = set(form.cleaned_data["grants"])
        if why := why_no_grants(actor_of(request), user, wanted - held):
            form.add_error("grants", why)
        elif _save_grants(request, form, user, held):
            return redirect("access:operators")
    waiting = selectors.waiting_finance_requests(user).first()
    context = {"form": form, "person": user, "waiting": waiting, **sign_on_of(user)}
    return render(request, "access/operator.html", context)


def _save_grants(request: HttpRequest, form: GrantsForm, user: User, held: set[str]) -> bool:
    """All or none of the changes; finance only begins to wait for a second finance operator."""
    principal, wanted = actor_of(request), set(form.cleaned_data["grants"])
    reason = form.cleaned_data["reason"]
    asked = [name for name in wanted - held if why_not_alone(name)]
    try:
        with transaction.atomic():
            for name in sorted((wanted ^ held) - set(asked)):
                services.grant_set(
                    user=user, name=name, granted=name in wanted, actor=principal, reason=reason
                )
            if asked:
                services.finance_ask(user=user, actor=principal, reason=reason)
    except ValidationError as error:
        add_errors(form, error)
        return False
    if asked:
        messages.info(
            request, _("The Finance grant is waiting for approval by another finance operator.")
        )
    if set(wanted ^ held) - set(asked):
        messages.success(request, _("Grants saved. They take effect immediately."))
    return True


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@asks("access.operators_change")
def deactivate(request: HttpRequest, user_id: int) -> HttpResponseBase:
    """Let somebody in no more, or again; operators do this to anyone but themselves."""
    user = get_object_or_404(User, pk=user_id)
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        principal = actor_of(request)
        act = services.user_deactivate if user.is_active else services.user_activate
        if user.pk == principal.user_id:
            form.add_error(None, _("You can't do this to your own user. Ask another operator."))
        else:
            act(user=user, actor=principal, reason=form.cleaned_data["reason"])
            return redirect("access:operators" if user.is_operator else "access:accounts")
    holds_finance = user.grants.filter(name=GrantName.FINANCE).exists() or user.is_superuser
    context = {"form": form, "person": user, "holds_finance": holds_finance}
    return render(request, "access/deactivate.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@asks("access.operators_change")
@asks_again
def factor_reset(request: HttpRequest, user_id: int) -> HttpResponseBase:
    """Forget a lost authenticator app of somebody else; the person sets up a new one."""
    user = get_object_or_404(User, pk=user_id)
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        principal = actor_of(request)
        try:
            if user.pk == principal.user_id:
                raise ValidationError(
                    _("You can't do this to your own user. Ask another operator.")
                )
            services.factors_remove(user=user, actor=principal, reason=form.cleaned_data["reason"])
        except ValidationError as error:
            add_errors(form, error)
        else:
            messages.success(request, _("Authenticator app removed."))
            return redirect("access:operators" if user.is_operator else "access:accounts")
    return render(request, "access/factor_reset.html", {"form": form, "person": user})


@never_cache
@require_POST
@asks("access.operators_change")
def operator_withdraw(request: HttpRequest, invitation_id: int) -> HttpResponseBase:
    """Make an operator's invitation worthless."""
    invitation = get_object_or_404(Invitation, pk=invitation_id, account=None)
    services.invitation_withdraw(invitation=invitation, actor=actor_of(request))
    messages.success(request, _("Invitation withdrawn."))
    return redirect("access:operators")
