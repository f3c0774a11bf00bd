"""The names under which static files are collected: with a hash of what they say."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedNames(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # untyped
    """`js/dom.js` is `js/dom.5b2….js` in pages, sheets and modules, and may be kept for ever.

    While nothing is collected (development, tests), a file keeps its plain name.
    """

    support_js_module_import_aggregation = True  # modules name each other by hashed names too

    def stored_name(self, name: str) -> str:
        """Return the hashed name; raises ValueError for a file that was not collected."""
        return str(super().stored_name(name)) if self.hashed_files else name
