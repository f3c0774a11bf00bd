"""The audit log in the API: who did what to which object, and how to undo a change."""

from typing import Annotated, Any

from django.core.exceptions import ValidationError
from django.http import HttpRequest
from ninja import Query, Router
from pydantic import BaseModel, Field, StringConstraints

from poolsite.access import FactorNeeded, Hidden, Principal, require, selectors
from poolsite.access.models import AuditEntry
from poolsite.api.callers import allowed, require_confirmed
from poolsite.api.pages import Page, PageIn, page
from poolsite.api.paths import id_in_path
from poolsite.api.reading import LINE, Moment
from poolsite.api.root import ProblemError
from poolsite.console import undoing
from poolsite.console.sentences import Names, Reading, said

router = Router(tags=["audit-log"])
VIEW = "access.history_view"
EntryId = id_in_path("The entry's ID.")
Filter = Annotated[str, StringConstraints(max_length=150, pattern=LINE)]


class AuditEntriesIn(PageIn):
    """Filters of the audit log."""

    actor: Filter = Field("", description="Username, name of the token, or part of the system.")
    action: Filter = Field(
        "", description="An action, such as `numbers.pause`, or an app with a full stop: `billing.`"
    )
    object_type: Filter = Field("", description="Type of the object, such as `pool`.")
    object_id: Filter = Field("", description="Slug or ID of the object.")
    account: Filter = Field("", description="The account's slug.")
    job: Filter = Field("", description="The job that made the change.")
    since: Moment | None = Field(None, description="Entries from this time on.")
    until: Moment | None = Field(None, description="Entries before this time.")


class AuditEntryOut(BaseModel):
    """An entry of the audit log."""

    id: int
    at: str
    actor: str
    actor_type: str = Field(description="`user`, `token`, or `system` for a part of the system.")
    action: str
    text: str = Field(description="The change as a sentence in your language.")
    object_type: str
    object_id: str
    object: str = Field(description="The object's name at that time.")
    account: str | None
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    reason: str
    job: str


class UndoneOut(BaseModel):
    """The restored object."""

    object: str = Field(description="The object's name.")


@router.get(
    "",
    response={200: Page[AuditEntryOut]},
    summary="List audit entries",
)
def list_audit_entries(request: HttpRequest, asked: Query[AuditEntriesIn]) -> Any:
    """The audit log, newest first. Members see the entries of their account."""
    principal = allowed(request, VIEW)
    rows = selectors.history(
        principal,
        thing_kind=asked.object_type,
        thing_id=asked.object_id,
        **{
            name: getattr(asked, name)
            for name in ("actor", "action", "account", "job", "since", "until")
        },
    )
    names = Names()
    return page(request, asked, rows, lambda entry: _out(entry, names))


@router.get(
    "/{entry}",
    response={200: AuditEntryOut},
    summary="Get an audit entry",
)
def get_audit_entry(request: HttpRequest, entry: int = EntryId) -> Any:
    """One change with the values before and after it."""
    return _out(_entry(allowed(request, VIEW), entry), Names())


@router.post(
    "/{entry}/undo",
    response={200: UndoneOut},
    summary="Undo a change",
)
def undo_change(request: HttpRequest, entry: int = EntryId) -> Any:
    """Restore the settings from before this change. You need the permission to make the change.

    Refused if a setting has been changed since, or if the change can't be undone.
    """
    principal = allowed(request, VIEW)
    found = _entry(principal, entry)
    if undoing.gives_access(found):
        require_confirmed(request)
    try:
        thing = undoing.undo(found, actor=principal)
    except FactorNeeded:
        raise ProblemError("second-factor") from None
    except Hidden:
        raise ValidationError(_GONE) from None
    thing.refresh_from_db()
    return UndoneOut(object=str(thing))


_GONE = "The object no longer exists."


def _entry(principal: Principal, key: int) -> AuditEntry:
    found = AuditEntry.objects.select_related("account").filter(pk=key).first()
    try:
        if found is None:
            raise Hidden(VIEW)
        require(principal, VIEW, found)
    except Hidden:
        raise ProblemError("unknown-entry", "audit entry not found") from None
    return found


def _out(entry: AuditEntry, names: Names) -> AuditEntryOut:
    return AuditEntryOut(
        id=entry.pk,
        at=entry.at.isoformat(),
        actor=entry.actor_name,
        actor_type=entry.actor_kind,
        action=entry.action,
        text=said(Reading(entry, names)).text,
        object_type=entry.thing_kind,
        object_id=entry.thing_id,
        object=entry.thing_label,
        account=entry.account.slug if entry.account else None,
        before=entry.before,
        after=entry.after,
        reason=entry.reason,
        job=entry.job,
    )
