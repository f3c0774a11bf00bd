"""Accounts, their members and invitations."""

from functools import partial

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from poolsite.access import decide, principal_of_request, require, selectors, services
from poolsite.access.confirming import asks_again
from poolsite.access.models import Account, Invitation, Membership, Role, User
from poolsite.console import tables
from poolsite.console.form_pages import form_page, redirect_with, saved
from poolsite.console.goals import guide_url
from poolsite.console.tables import SqlColumn
from poolsite.moments import iso
from poolsite.operations.tags_and_notes import show_tags, with_tag
from poolsite.people.forms import AccountForm, InviteForm, RolesForm
from poolsite.people.views.common import asks, sign_on_of
from poolsite.people.views.invitations import mail_invitation
from poolsite.people.views.person_columns import person_columns


@never_cache
@require_GET
@asks("access.people_view")
def accounts(request: HttpRequest) -> HttpResponseBase:
    """List the accounts whose people the reader may see; only operators see tags."""
    principal = principal_of_request(request)
    sees_tags = decide(principal, "access.operators_view").allowed
    given = {name: tables.text_of(request, name) for name in ("q", "tag")}
    rows = selectors.accounts(principal, text=given["q"])
    context = {
        "may_add": decide(principal, "access.accounts_change").allowed,
        "guide_url": "" if Account.objects.exists() else guide_url(principal, "top-up"),
        "sees_tags": sees_tags,
        "text": given["q"],
    }
    return tables.answer(
        request,
        "access/accounts.html",
        with_tag(rows, given["tag"], kind="account") if sees_tags else rows,
        _account_columns(),
        given=given,
        file="accounts",
        default="slug",
        counted=lambda n: ngettext("%(n)s account", "%(n)s accounts", n) % {"n": n},
        dress=_with_tags if sees_tags else list,
        context=context,
    )


def _with_tags(accounts: list[Account]) -> list[Account]:
    show_tags(accounts)
    return accounts


def _account_columns() -> list[SqlColumn[Account]]:
    return [
        SqlColumn("name", _("Name"), lambda account: account.name, order=("name",)),
        SqlColumn("slug", _("Short name"), lambda account: account.slug, order=("slug",)),
        SqlColumn("zone", _("Time zone"), lambda account: account.zone, order=("zone",)),
        SqlColumn("currency", _("Currency"), lambda account: account.currency, order=("currency",)),
        SqlColumn(
            "since",
            _("Since"),
            lambda account: iso(account.created_at),
            order=("created_at",),
        ),
    ]


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@asks("access.accounts_change")
def account_add(request: HttpRequest) -> HttpResponseBase:
    """Create an account."""
    form = AccountForm(request.POST or None)

    def done(account: Account) -> HttpResponse:
        messages.success(request, _("Account created. Next, invite its owner."))
        return redirect("access:invite", slug=account.slug)

    save = partial(services.account_create, actor=principal_of_request(request))
    return saved(form, save, done) or form_page(request, "access/account_add.html", {"form": form})


def _account(request: HttpRequest, slug: str, action: str) -> Account:
    """Return the account if the reader may do the action; another's looks like a missing one."""
    account = get_object_or_404(Account, slug=slug)
    require(principal_of_request(request), action, account)
    return account


@never_cache
@require_GET
@asks("access.people_view")
def members(request: HttpRequest, slug: str) -> HttpResponseBase:
    """List an account's members and its open invitations."""
    account = _account(request, slug, "access.people_view")
    options = [("", _("All roles")), *Role.choices]
    role = tables.choice_of(request, "role", _("Role"), options)
    text = tables.text_of(request, "q")
    context = {
        "account": account,
        "invitations": selectors.open_invitations(account),
        "may_change": decide(
            principal_of_request(request), "access.people_change", account
        ).allowed,
        "may_deactivate": decide(principal_of_request(request), "access.operators_change").allowed,
        "choices": [role],
        "text": text,
    }
    return tables.answer(
        request,
        "access/members.html",
        selectors.members(account, text=text, role=role.value),
        person_columns("roles", _("Roles"), _roles),
        given={"q": text, "role": role.value},
        file=f"{account.slug}-people",
        default="name",
        counted=lambda n: ngettext("%(n)s member", "%(n)s members", n) % {"n": n},
        context=context,
    )


def _roles(user: User) -> list[str]:
    """Return the roles that `selectors.members` has read, as the API names them."""
    return [membership.role for membership in getattr(user, "roles_here", ())]


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@asks("access.people_change")
@asks_again
def invite(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Invite a person to an account."""
    account = _account(request, slug, "access.people_change")
    form = InviteForm(request.POST or None)

    def done(made: tuple[Invitation, str]) -> HttpResponse:
        mail_invitation(request, *made)
        return redirect("access:members", slug=slug)

    save = partial(services.member_invite, account=account, actor=principal_of_request(request))
    context = {"form": form, "account": account}
    return saved(form, save, done) or form_page(request, "access/invite.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@asks("access.people_change")
def member(request: HttpRequest, slug: str, user_id: int) -> HttpResponseBase:
    """Show and change a member's roles and the desks that they supervise."""
    account = _account(request, slug, "access.people_change")
    user = User.objects.filter(pk=user_id, memberships__account=account).first()
    if user is None:
        raise Http404
    held = Membership.objects.filter(user=user, account=account).values_list("role", flat=True)
    desks = selectors.supervised(user, account)
    form = RolesForm(
        request.POST or None, initial={"roles": sorted(held), "supervises": "\n".join(desks)}
    )
    save = partial(
        services.member_set, user=user, account=account, actor=principal_of_request(request)
    )
    words = _("Roles saved. They take effect immediately.")
    if answer := saved(form, save, redirect_with(request, words, "access:members", slug=slug)):
        return answer
    context = {"form": form, "account": account, "person": user, **sign_on_of(user)}
    return form_page(request, "access/member.html", context)


@never_cache
@require_POST
@asks("access.people_change")
def withdraw(request: HttpRequest, slug: str, invitation_id: int) -> HttpResponseBase:
    """Withdraw an invitation."""
    account = _account(request, slug, "access.people_change")
    invitation = get_object_or_404(Invitation, pk=invitation_id, account=account)
    services.invitation_withdraw(invitation=invitation, actor=principal_of_request(request))
    messages.success(request, _("Invitation withdrawn."))
    return redirect("access:members", slug=slug)
