"""Users, their roles in accounts, and their grants."""

from collections.abc import Collection

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from poolsite.access.auditing import audit
from poolsite.access.giving import why_not_alone
from poolsite.access.models import AccessLink, Account, Grant, GrantName, Membership, Role, User
from poolsite.access.notices import tell_owner
from poolsite.access.reset_links import reset_links
from poolsite.access.services.actor import Actor, is_person
from poolsite.access.services.links import link_access, withdraw_void_invitations

EVERYWHERE = "*"  # the audit log's name of a grant for everything


@transaction.atomic
def user_create(
    *,
    username: str,
    actor: Actor,
    email: str = "",
    password: str | None = None,
    is_operator: bool = False,
    full_name: str = "",
    zone: str = "",
    locale: str = "",
    reason: str = "",
) -> User:
    """Create a user. Without a password no one can log in until one is set by mail.

    Raise ValidationError if a field is invalid, or if the name or address is taken in any case. The
    password is not validated (forms validate what people choose).
    """
    if "@" in username:
        raise ValidationError({"username": _("A user name can't contain @.")})
    first, _space, last = full_name.strip().partition(" ")
    user = User(
        username=username,
        email=email.strip(),
        is_operator=is_operator,
        first_name=first,
        last_name=last,
        zone=zone,
        locale=locale,
    )
    user.set_password(password)
    user.full_clean()
    user.save()
    audit(
        actor=actor,
        action="access.user_create",
        thing=user,
        after={"username": username, "email": user.email, "is_operator": is_operator},
        reason=reason,
    )
    return user


@transaction.atomic
def membership_set(
    *, user: User, account: Account, roles: Collection[str], actor: Actor, reason: str = ""
) -> frozenset[str]:
    """Make these the user's only roles in the account; empty ends the membership.

    Return the roles before. Raise ValidationError for an unknown role, or if the account would lose
    its last owner. Takes effect in every process after the commit.
    """
    wanted = {roles} if isinstance(roles, str) else set(roles)
    unknown = wanted - set(Role.values)
    if unknown:
        raise ValidationError(_("Unknown role: “%s”.") % min(unknown))
    Account.objects.select_for_update().get(pk=account.pk)
    rows = {row.role: row for row in Membership.objects.filter(user=user, account=account)}
    before = frozenset(rows)
    if before == wanted:
        return before
    if Role.OWNER in before - wanted and not has_other_owner(user, account):
        raise ValidationError(_("An account must have at least one owner."))
    for role in before - wanted:
        rows[role].delete()
    for role in sorted(wanted - before):
        Membership.objects.create(user=user, account=account, role=role)
    audit(
        actor=actor,
        action="access.membership_set",
        thing=account,
        before={"user": user.get_username(), "roles": sorted(before)},
        after={"user": user.get_username(), "roles": sorted(wanted)},
        reason=reason,
    )
    if wanted - before:
        link_access(giver=actor, receiver=user, how=AccessLink.How.ROLE)
    if before - wanted:
        withdraw_void_invitations(inviter=user, actor=actor)
    return before


def has_other_owner(user: User, account: Account) -> bool:
    """Whether another user who can log in owns the account, too."""
    owners = Membership.objects.filter(account=account, role=Role.OWNER, user__is_active=True)
    return owners.exclude(user=user).exists()


@transaction.atomic
def grant_set(
    *,
    user: User,
    name: str,
    actor: Actor,
    thing: str = "",
    account: Account | None = None,
    granted: bool = True,
    reason: str = "",
) -> bool:
    """Give or take one grant, for everything (blank) or one object (`desk:support`).

    With an account, the grant counts for its objects only. Return whether anything changed. Raise
    ValidationError for an unknown grant or an invalid object, and if a person gives `finance`: that
    needs two people (`services.finance_requests`). A part of the system may give it.
    """
    if account is not None and not thing:
        raise ValidationError(_("A grant in an account must name an object."))
    grant = Grant(user=user, name=str(name), thing=thing, account=account)
    if grant.name not in GrantName.values:
        raise ValidationError(_("Unknown grant: “%s”.") % name)
    grant.clean_fields(exclude=["user", "account"])
    User.objects.select_for_update().get(pk=user.pk)
    same = Grant.objects.filter(user=user, name=grant.name, thing=thing, account=account)
    existing = same.first()
    if (existing is not None) == granted:
        return False
    if existing is not None:
        grant_take(existing, actor=actor, reason=reason)
        return True
    if is_person(actor) and (why := why_not_alone(grant.name)):
        raise ValidationError(why)
    grant_give(grant, actor=actor, reason=reason)
    return True


def grant_give(grant: Grant, *, actor: Actor, reason: str) -> None:
    """Save a new grant, checked by the caller, with its audit entry and its access link."""
    grant.save()
    _audit_grant(grant, "access.grant_give", actor=actor, reason=reason)
    if grant.name in (GrantName.OPERATE, GrantName.FINANCE):
        link_access(giver=actor, receiver=grant.user, how=AccessLink.How.GRANTED)


def grant_take(grant: Grant, *, actor: Actor, reason: str) -> None:
    """Delete a grant, with its audit entry; invitations that depend on it are withdrawn."""
    grant.delete()
    _audit_grant(grant, "access.grant_take", actor=actor, reason=reason)
    withdraw_void_invitations(inviter=grant.user, actor=actor)


def _audit_grant(grant: Grant, action: str, *, actor: Actor, reason: str) -> None:
    given = action == "access.grant_give"
    kept = {
        "user": grant.user.get_username(),
        "grant": grant.name,
        "thing": grant.thing or EVERYWHERE,
    }
    audit(
        actor=actor,
        action=action,
        thing=grant.account or grant.user,
        before={**kept, "granted": not given},
        after={**kept, "granted": given},
        reason=reason,
    )


@transaction.atomic
def grants_set(
    *, user: User, name: str, things: Collection[str], account: Account, actor: Actor
) -> None:
    """Make these the only objects of the account for which the user has a grant."""
    held = Grant.objects.filter(user=user, name=name, account=account)
    before = set(held.values_list("thing", flat=True))
    for thing in sorted(before ^ set(things)):
        grant_set(
            user=user,
            name=name,
            thing=thing,
            account=account,
            granted=thing in things,
            actor=actor,
        )


@transaction.atomic
def user_deactivate(*, user: User, actor: Actor, reason: str) -> User:
    """Deactivate a user: sessions end everywhere, sockets close."""
    return _set_active(user, active=False, actor=actor, reason=reason)


@transaction.atomic
def user_activate(*, user: User, actor: Actor, reason: str = "") -> User:
    """Let a deactivated user log in again; the old sessions stay ended.

    If a person does it, `finance` does not come back: it must be requested like a new grant.
    """
    return _set_active(user, active=True, actor=actor, reason=reason)


def _set_active(user: User, *, active: bool, actor: Actor, reason: str) -> User:
    user = User.objects.select_for_update().get(pk=user.pk)
    if user.is_active == active:
        return user
    was_superuser = user.is_superuser
    user.is_active = active
    user.is_superuser = was_superuser and not (active and is_person(actor))
    user.sessions_epoch += 1
    user.save(update_fields=["is_active", "is_superuser", "sessions_epoch"])
    lost = was_superuser != user.is_superuser
    audit(
        actor=actor,
        action="access.user_activate" if active else "access.user_deactivate",
        thing=user,
        before={"is_superuser": True} if lost else None,
        after={"is_superuser": False} if lost else None,
        reason=reason,
    )
    if not active:
        withdraw_void_invitations(inviter=user, actor=actor)
    elif is_person(actor):
        _leave_finance_behind(user, actor, reason)
    return user


def _leave_finance_behind(user: User, actor: Actor, reason: str) -> None:
    """Take the finance grants: what one person restored must not count as a second pair of eyes."""
    held = Grant.objects.filter(user=user, name=GrantName.FINANCE)
    for grant in held.select_related("user", "account"):
        grant_take(grant, actor=actor, reason=reason)
    link_access(giver=actor, receiver=user, how=AccessLink.How.REACTIVATED)


@transaction.atomic
def log_out_everywhere(*, user: User, actor: Actor, reason: str = "") -> User:
    """End every session of a user in every process; return the current user."""
    user = User.objects.select_for_update().get(pk=user.pk)
    user.sessions_epoch += 1
    user.save(update_fields=["sessions_epoch"])
    audit(actor=actor, action="access.log_out_everywhere", thing=user, reason=reason)
    return user


@transaction.atomic
def password_set(*, user: User, password: str, actor: Actor, reason: str = "") -> User:
    """Set a password that passes the validators. Every session ends, and the user is notified."""
    validate_password(password, user)
    user = User.objects.select_for_update().get(pk=user.pk)
    user.set_password(password)
    user.save(update_fields=["password"])
    audit(actor=actor, action="access.password_set", thing=user, reason=reason)
    tell_owner(user, "access.password_set")
    return user


@transaction.atomic
def password_reset(*, user: User, secret: str, password: str) -> User:
    """Set a password by the secret of a mailed link.

    The link works once, even if two requests use it at the same time. Raise ValidationError if it
    no longer works, or if the password is too weak.
    """
    user = User.objects.select_for_update().get(pk=user.pk)
    if not user.is_active or not reset_links.check_token(user, secret):
        raise ValidationError(_("This link no longer works."))
    return password_set(user=user, password=password, actor=user, reason=_("by email"))
