"""Use cases of imports: upload, confirm, undo, discard. Each checks, audits, then starts a job."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from django.db import transaction
from django.utils.translation import gettext as _

from numbers.errors import NumbersError
from numbers.imports import kinds
from numbers.models import NumberImport, Pool
from numbers.services.common import lock_living
from poolsite import access, jobs
from poolsite.access import Principal
from poolsite.access.models import User
from poolsite.access.services.actor import Actor, clean_reason, require
from poolsite.jobs import runner
from poolsite.jobs.models import Job
from poolsite.table_files import ENDINGS
from poolsite.uploaded_files import PART_BYTES, keep_parts

State = NumberImport.State


def import_upload(
    *, actor: Actor, pool: Pool, file_name: str, data: Iterable[bytes]
) -> NumberImport:
    """Store a file and start its preview. Nothing is imported yet.

    Raise NumbersError (not-allowed) if the file is empty, larger than 32 MB, or neither CSV nor
    XLSX. Raise the errors of access if the actor may not operate the pool.
    """
    require(actor, "numbers.operate", pool)
    name = Path(file_name.replace("\\", "/")).name[-200:].replace("\x00", "")
    if not name.lower().endswith(ENDINGS):
        raise NumbersError("not-allowed", _("Choose a CSV or XLSX file. Nothing was added."))
    with transaction.atomic():
        lock_living(pool)
        found = NumberImport.objects.create(
            pool=pool, actor=_user(actor), actor_name=_name(actor), file_name=name
        )
        try:
            size = keep_parts(found, data)
        except ValueError as error:
            raise NumbersError(
                "not-allowed", _("The file is larger than 32 MB. Nothing was added.")
            ) from error
        if not size:
            raise NumbersError("not-allowed", _("The file is empty. Nothing was added."))
        access.audit(
            actor=actor,
            action="numbers.import_upload",
            thing=found,
            after={"pool": pool.slug, "file": name, "bytes": size},
        )
        _start(found, kinds.PREVIEW, actor)
    return found


def import_confirm(*, actor: Actor, number_import: NumberImport, reason: str = "") -> NumberImport:
    """Start or continue the import of a preview. A second click changes nothing."""
    require(actor, "numbers.operate", number_import)
    with transaction.atomic():
        found = _locked(number_import)
        if found.shown_state in (State.IMPORTING, State.DONE):
            return found
        if not found.can_confirm:
            raise _not_now(found)
        lock_living(found.pool)
        told = {"pool": found.pool.slug, "numbers": found.rows_to_import}
        _move(found, State.IMPORTING, actor, "numbers.import_confirm", reason, told)
        _start(found, kinds.IMPORT, actor)
    return found


def import_undo(*, actor: Actor, number_import: NumberImport, reason: str = "") -> NumberImport:
    """Start deleting every number of the import. A second click changes nothing."""
    require(actor, "numbers.operate", number_import)
    with transaction.atomic():
        found = _locked(number_import)
        if found.shown_state in (State.UNDOING, State.UNDONE):
            return found
        if not found.can_undo:
            raise _not_now(found)
        told = {"pool": found.pool.slug, "numbers": found.imported}
        _move(found, State.UNDOING, actor, "numbers.import_undo", reason, told)
        _start(found, kinds.UNDO, actor)
    return found


def import_discard(*, actor: Actor, number_import: NumberImport, reason: str = "") -> NumberImport:
    """Discard a preview with its rows. Nothing was imported."""
    require(actor, "numbers.operate", number_import)
    with transaction.atomic():
        found = _locked(number_import)
        if found.state == State.DISCARDED:
            return found
        if not found.can_discard:
            raise _not_now(found)
        _move(found, State.DISCARDED, actor, "numbers.import_discard", reason, {})
        found.save(update_fields=["state"])
        found.parts.all().delete()
        found.staged.all().delete()
    return found


def _move(
    found: NumberImport,
    state: State,
    actor: Actor,
    action: str,
    reason: str,
    told: Mapping[str, object],
) -> None:
    """Set the import's next state and write the audit entry. The caller saves the import."""
    before, found.state = found.state, state
    access.audit(
        actor=actor,
        action=action,
        thing=found,
        before={"state": before},
        after={"state": found.state, **told},
        reason=clean_reason(reason),
    )


def import_now(pool: Pool, path: Path, actor: Actor) -> NumberImport:
    """Upload, preview and import a file while the caller waits: the same steps without a worker.

    For the demo's data. Raise NumbersError if the file could not be read or imported.
    """
    found = preview_now(pool, path, actor)
    return confirm_now(found, actor)


def preview_now(pool: Pool, path: Path, actor: Actor) -> NumberImport:
    """Upload a file and read it while the caller waits. Raise NumbersError."""
    with path.open("rb") as file:
        data = iter(lambda: file.read(PART_BYTES), b"")
        found = import_upload(actor=actor, pool=pool, file_name=path.name, data=data)
    return _run(found)


def confirm_now(number_import: NumberImport, actor: Actor) -> NumberImport:
    """Import a preview while the caller waits. Raise NumbersError."""
    return _run(import_confirm(actor=actor, number_import=number_import))


def _run(found: NumberImport) -> NumberImport:
    """Run the import's job here, unless a worker has already taken it."""
    runner.run(found.job_id or 0)
    found = NumberImport.objects.select_related("pool", "actor", "job").get(pk=found.pk)
    if found.job is not None and found.job.state == Job.State.FAILED:
        raise NumbersError("not-allowed", found.job.message)
    return found


def _start(found: NumberImport, kind: str, actor: Actor) -> None:
    found.job = jobs.start(
        kind,
        actor=_user(actor),
        account=found.pool.account,
        data={"import": found.pk, "system": isinstance(actor, str)},
        once=f"{found.pk}",
    )
    found.save(update_fields=["job", "state"])


def _locked(number_import: NumberImport) -> NumberImport:
    """Return the current import, locked until the transaction ends: of two clicks, one counts."""
    rows = NumberImport.objects.select_related("pool__account", "job")
    return rows.select_for_update(of=("self",)).get(pk=number_import.pk)


def _not_now(found: NumberImport) -> NumbersError:
    return NumbersError(
        "not-allowed",
        _("%(import)s is in the state “%(state)s”. Nothing was changed.")
        % {"import": found.public_id, "state": found.state_word},
    )


def _user(actor: Actor) -> User | None:
    if isinstance(actor, User):
        return actor
    if isinstance(actor, Principal) and actor.user_id is not None:
        return User.objects.filter(pk=actor.user_id).first()
    return None


def _name(actor: Actor) -> str:
    if isinstance(actor, str):
        return actor[:150]
    user = _user(actor)
    return user.display_name[:150] if user else ""
