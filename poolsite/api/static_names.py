"""The names under which static files are collected: with a hash of what they say."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from django.contrib.staticfiles.storage import staticfiles_storage
from django.templatetags.static import static
from whitenoise.storage import CompressedManifestStaticFilesStorage

# The sheets of every page, in this order. Collected, they are one file: a browser asks once.
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
JOINED: Final = "console.css"  # beside tokens.css, whose addresses are relative


class HashedNames(CompressedManifestStaticFilesStorage):
    """`theme.js` is `theme.5b2….js` in pages, sheets and modules, and may be kept for ever.

    While nothing is collected (development, tests), a file keeps its plain name.
    """

    support_js_module_import_aggregation = True  # modules name each other by hashed names too

    def post_process(
        self, paths: dict[str, Any], dry_run: bool = False, **options: Any
    ) -> Iterator[tuple[str, str | None, bool | Exception]]:
        """Write the joined sheet among the collected files, then hash and compress all of them."""
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
        """Return the hashed name; raises ValueError for a file that was not collected."""
        return str(super().stored_name(name)) if self.hashed_files else name


def sheet_addresses() -> tuple[str, ...]:
    """Where the sheets of every page are: one address when they are collected."""
    collected = JOINED in getattr(staticfiles_storage, "hashed_files", {})
    return tuple(static(name) for name in ((JOINED,) if collected else SHEETS))
