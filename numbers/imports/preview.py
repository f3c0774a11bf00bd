"""The result for each row: imported as written or cleaned up, or left out with a reason.

A row is suspicious, and left out, if its text looks like a number but means something else.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from numbers.canonical import canonical
from numbers.imports.table import SourceRow
from numbers.models import ImportRow, NumberImport
from poolsite.number_format import Normalised, normalise
from poolsite.number_rejections import SUSPICIOUS, Rejected, Rejection
from poolsite.table_reader.limits import CELL_CHARACTERS_LIMIT


@dataclass(slots=True)
class Judged:
    """A row of the file with the number in it, if it has one."""

    row: SourceRow
    found: Normalised | Rejected
    spelled_otherwise: bool = False  # the row has another format than the canonical one in `found`


@dataclass
class Classifier:
    """Judges rows in the order of the file, and remembers every number of the file."""

    number_import: NumberImport
    first_rows: dict[str, int] = field(default_factory=dict)

    def judge(self, rows: Iterable[Judged], owners: Mapping[str, str]) -> Iterator[ImportRow]:
        """Yield an unsaved ImportRow for each row.

        `owners` has the reason's code for each number of these rows that is already in a pool.
        """
        for judged in rows:
            yield self._judge_one(judged, owners)

    def _judge_one(self, judged: Judged, owners: Mapping[str, str]) -> ImportRow:
        source, found = judged.row, judged.found
        row = ImportRow(
            number_import=self.number_import,
            row=source.row,
            raw=source.number[:CELL_CHARACTERS_LIMIT],
            label=source.label,
            region=source.region,
        )
        if isinstance(found, Rejected):
            _refuse(row, _why(found, source), found.start, found.end)
            if found.reason in SUSPICIOUS:
                row.kind = ImportRow.Kind.SUSPICIOUS
            return row
        first = self.first_rows.setdefault(found.value, source.row)
        row.value = found.value
        if first != source.row:
            return _refuse(row, f"twice:{first}", 0, 0)
        if found.value in owners:
            return _refuse(row, owners[found.value], 0, 0)
        changes = [change.value for change in found.changes]
        if judged.spelled_otherwise:
            changes.append(ImportRow.COUNTRY_CODE)
        row.kind = ImportRow.Kind.CLEANED if changes else ImportRow.Kind.AS_IT_IS
        row.why = ",".join(changes)
        return row

    def twins(self) -> int:
        """Count numbers that the file has with and without +: different, but rarely on purpose."""
        plus = (value for value in self.first_rows if value[0] == "+")
        return sum(1 for value in plus if value[1:] in self.first_rows)


def read_number(row: SourceRow, home_country: str) -> Judged:
    """Return the row with its number in canonical form."""
    if row.open_quote:
        place = row.number.find('"')
        return Judged(row, Rejected(Rejection.NOT_A_NUMBER, max(place, 0), place + 1))
    found = normalise(row.number)
    if isinstance(found, Rejected):
        return Judged(row, found)
    one = canonical(found.value, home_country)
    return Judged(row, replace(found, value=one), spelled_otherwise=one != found.value)


def _refuse(row: ImportRow, why: str, start: int, end: int) -> ImportRow:
    row.kind, row.why = ImportRow.Kind.REFUSED, why
    row.bad_start = min(start, CELL_CHARACTERS_LIMIT)
    row.bad_end = min(end, CELL_CHARACTERS_LIMIT)
    return row


def _why(found: Rejected, source: SourceRow) -> str:
    text = source.number
    if source.open_quote:
        opened_here = source.open_quote == source.row
        return "quote_opens" if opened_here else f"quoted:{source.open_quote}"
    if found.reason is Rejection.TOO_LONG:
        return f"too_long:{sum(char.isdigit() for char in text)}"
    if found.reason is Rejection.NOT_A_NUMBER:
        bad = text[found.start : found.end]
        return "letter_o" if bad and set(bad) <= set("Oo") else "not_a_number"
    code = found.reason.name.lower()
    return f"{code}:{found.instead}" if found.instead else code
