"""The names of collected static files, with a hash of their content."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from django.contrib.staticfiles.storage import staticfiles_storage
from django.templatetags.static import static
from whitenoise.storage import CompressedManifestStaticFilesStorage

# The style sheets of every page, in this order. Collected, they are joined to one file, so that a
# browser sends one request.
SHEETS: Final = (
    "tokens.css",
    "css/layout.css",
    "css/components.css",
    "css/palette.css",
    "css/forms.css",
    "css/tables.css",
    "css/imports.css",
    "css/tiles.css",
    "css/charts.css",
    "css/billing.css",
    "css/campaigns.css",
)
JOINED: Final = "console.css"  # in the folder of tokens.css, whose addresses are relative


class HashedNames(CompressedManifestStaticFilesStorage):
    """`theme.js` is `theme.5b2….js` in pages, sheets and modules, and may be cached forever.

    If no files are collected (development, tests), a file keeps its plain name.
    """

    support_js_module_import_aggregation = True  # modules import each other by hashed names, too

    def post_process(
        self, paths: dict[str, Any], dry_run: bool = False, **options: Any
    ) -> Iterator[tuple[str, str | None, bool | Exception]]:
        """Write the joined sheet to the collected files, then hash and compress all of them."""
        if not dry_run and all(name in paths for name in SHEETS):
            texts = []
            for name in SHEETS:
                source, path = paths[name]
                with source.open(path) as sheet:
                    texts.append(sheet.read().decode())
            Path(self.path(JOINED)).write_text("\n".join(texts))
            paths[JOINED] = (self, JOINED)
        yield from super().post_process(paths, dry_run, **options)

    def stored_name(self, name: str) -> str:
        """Return the hashed name. Raise ValueError for a file that was not collected."""
        return str(super().stored_name(name)) if self.hashed_files else name


def sheet_addresses() -> tuple[str, ...]:
    """Return the URLs of every page's style sheets: a single one if they are collected."""
    collected = JOINED in getattr(staticfiles_storage, "hashed_files", {})
    return tuple(static(name) for name in ((JOINED,) if collected else SHEETS))
