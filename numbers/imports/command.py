"""`manage.py pool import`: the same steps as in the browser, in a terminal."""

from collections.abc import Callable
from pathlib import Path

from django.utils.translation import gettext as _

from numbers.errors import NumbersError
from numbers.models import ImportRow, NumberImport, Pool
from numbers.selectors.imports import rows_left_out
from numbers.services import imports


def import_file(
    pool: Pool, path: Path, *, actor: str, yes: bool, say: Callable[[str], object]
) -> NumberImport:
    """Show the preview of a file with each row that is left out. With `yes`, import it.

    Without `yes`, discard the preview and change nothing. Raise NumbersError.
    """
    try:
        found = imports.preview_now(pool, path, actor)
    except OSError as error:
        raise NumbersError("malformed", f"{path.name}: {error.strerror}") from error
    say(f"{path.name}: {found.rows:,} rows")
    say(f"  {found.rows_as_they_are:>9,}  new, unchanged")
    say(f"  {found.rows_cleaned:>9,}  new, corrected")
    say(f"  {found.rows_suspicious:>9,}  suspicious, see below")
    say(f"  {found.rows_refused:>9,}  cannot be imported")
    for kind in (ImportRow.Kind.SUSPICIOUS, ImportRow.Kind.REFUSED):
        for row in rows_left_out(found, kind):
            remedy = f". {row.remedy}" if row.remedy else ""
            say(f"  row {row.row}: {row.raw!r}: {row.reason}{remedy}")
    if found.twins:
        say(f"  {found.twins:,} numbers appear in the file both with and without +.")
    if not yes:
        imports.import_discard(actor=actor, number_import=found)
        say("Nothing was imported. Use --yes to import.")
        return found
    if not found.can_confirm:
        imports.import_discard(actor=actor, number_import=found)
        raise NumbersError("not-allowed", _("No row of the file can be imported."))
    found = imports.confirm_now(found, actor)
    say(f"{found.imported:,} numbers added to {pool.slug} as {found.public_id}.")
    return found
