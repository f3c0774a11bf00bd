"""The docked import panel: choosing a file, the preview, the progress, the result."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from numbers.models import ImportRow, NumberImport, Pool
from numbers.selectors.imports import ALL_ROWS, SHOWN_ROWS, import_of, staged_rows
from poolsite import access
from poolsite.access import Principal
from poolsite.console.tables import key_of
from poolsite.console.templatetags.console import figure

NEW = "new"
EXAMPLES = 3
TABS = {  # in the order of the tabs: what needs a person comes first
    "suspicious": ImportRow.Kind.SUSPICIOUS,
    "refused": ImportRow.Kind.REFUSED,
    "cleaned": ImportRow.Kind.CLEANED,
    "new": ImportRow.Kind.AS_IT_IS,
}
State = NumberImport.State


@dataclass(frozen=True)
class ImportStep:
    """One of the four steps. `mark` is "done", "current" or ""."""

    word: str
    mark: str = ""


@dataclass(frozen=True)
class Piece:
    """A piece of a raw text. The kinds "bad" and "cleaned" are highlighted."""

    text: str
    kind: str = ""


def panel_of(
    request: HttpRequest, principal: Principal, pools: list[Pool]
) -> dict[str, Any] | None:
    """Return the panel that the URL asks for, or None if it is closed or not for this user."""
    if request.GET.get("panel") == NEW:
        if not pools:
            return None
        chosen = request.GET.get("pool", "")
        return {"step": "file", "steps": _steps(0), "pools": pools, "chosen": chosen}
    wanted = key_of(request, "panel")
    return None if wanted is None else _panel(import_of(principal, wanted), request, principal)


def _panel(found: NumberImport, request: HttpRequest, principal: Principal) -> dict[str, Any]:
    """The panel of an import, according to its state."""
    may = access.decide(principal, "numbers.operate", found).allowed
    shown = found.shown_state
    step = _STEPS.get(shown, "ended")
    panel: dict[str, Any] = {
        "step": step,
        "import": found,
        "steps": _steps({"reading": 0, "preview": 1, "working": 2}.get(step, 3)),
        "may": may,
        "job": found.job,
        "topic_language": request.LANGUAGE_CODE if hasattr(request, "LANGUAGE_CODE") else "en",
    }
    if step == "preview" or request.GET.get("tab"):
        panel |= _preview(found, request)
    panel |= _words(found)
    return panel


_STEPS = {
    State.READING: "reading",
    State.PREVIEWED: "preview",
    State.IMPORTING: "working",
    State.UNDOING: "working",
}


def _steps(current: int) -> list[ImportStep]:
    words = [_("File"), _("Preview"), _("Import"), _("Done")]
    return [
        ImportStep(word, "done" if place < current else "current" if place == current else "")
        for place, word in enumerate(words)
    ]


def _preview(found: NumberImport, request: HttpRequest) -> dict[str, Any]:
    tab = request.GET.get("tab", "")
    everything = request.GET.get("all") == "1"
    counts = {
        "suspicious": found.rows_suspicious,
        "refused": found.rows_refused,
        "cleaned": found.rows_cleaned,
        "new": found.rows_as_they_are,
    }
    if tab not in TABS:
        tab = next((name for name in TABS if counts[name]), "new")
    rows = staged_rows(found, TABS[tab], limit=ALL_ROWS if everything else SHOWN_ROWS)
    words = {
        "suspicious": _("Suspicious"),
        "refused": _("Refused"),
        "cleaned": _("Cleaned up"),
        "new": _("Unchanged"),
    }
    examples = [] if tab == "cleaned" else staged_rows(found, "c", limit=EXAMPLES)
    return {
        "tab": tab,
        "left_out": tab in ("suspicious", "refused"),
        "tabs": [
            {"name": name, "word": word, "count": counts[name], "current": name == tab}
            for name, word in words.items()
        ],
        "rows": [{"row": row, "pieces": pieces_of(row)} for row in rows],
        "examples": [{"row": row, "pieces": pieces_of(row)} for row in examples],
        "shown": _("%(n)s of %(total)s shown")
        % {"n": figure(len(rows)), "total": figure(counts[tab])},
        "more": len(rows) < counts[tab] and not everything,
        "csv_url": f"{reverse('numbers:import_refused', args=[found.pk])}?kind={TABS[tab]}",
    }


def pieces_of(row: ImportRow) -> list[Piece]:
    """The raw text with its bad part, or what was cleaned up, highlighted."""
    if row.kind == ImportRow.Kind.CLEANED:
        return _cleaned_pieces(row)
    if row.why.startswith("twice"):
        return [Piece(row.raw + " "), Piece("×2", "bad")]
    before, bad, after = row.parts
    if row.why == "empty":
        return [Piece(_("(empty)"), "bad")]
    if row.why.startswith("too_long") and len(bad) > 4:
        more = sum(char.isdigit() for char in bad)
        return [Piece(_shortened(before)), Piece(f"…+{more}", "bad")]
    return [piece for piece in (Piece(before), Piece(bad, "bad"), Piece(after)) if piece.text]


def _shortened(text: str) -> str:
    return text if len(text) <= 14 else text[:12]


def _cleaned_pieces(row: ImportRow) -> list[Piece]:
    """Highlight everything that is not a plain digit of the number as cleaned up."""
    pieces: list[Piece] = []
    prefix = row.value.startswith("+") and not row.raw.lstrip().startswith(("+", "＋"))
    zeros = 2 if prefix else 0
    for char in row.raw:
        plain = char.isascii() and (char.isdigit() or char == "+")
        if plain and zeros and char == "0":
            zeros, plain = zeros - 1, False
        kind = "" if plain else "cleaned"
        if pieces and pieces[-1].kind == kind:
            pieces[-1] = Piece(pieces[-1].text + char, kind)
        else:
            pieces.append(Piece(char, kind))
    return pieces


def _words(found: NumberImport) -> dict[str, str]:
    total = found.rows_to_import
    return {
        "import_label": ngettext("Import %(n)s number", "Import %(n)s numbers", total)
        % {"n": figure(total)},
        "working_title": _("Undoing the import")
        if found.state == State.UNDOING
        else _("Importing numbers"),
        "undo_label": ngettext(
            "Undo: delete %(n)s number", "Undo: delete %(n)s numbers", found.imported
        )
        % {"n": figure(found.imported)},
    }
