"""`make messages`: the catalogues of the console's languages, from the sources, with GNU gettext.

Needs `xgettext`, `msgmerge` and `msgfmt` (apt-get install gettext). Both the text (`.po`) and the
compiled form (`.mo`) are in the repository, so that a checkout has every language without gettext.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.house.source import ROOT

LANGUAGE = "zh_Hans"
DOMAINS = ("django", "djangojs")
FOLDER = Path("locale") / LANGUAGE / "LC_MESSAGES"
SOURCES = ("poolsite", "numbers", "queueing", "billing", "templates", "static")
# Without dates and program versions in its header, an unchanged catalogue is an unchanged file.
CHANGING = re.compile(
    r'^"(Report-Msgid-Bugs-To|POT-Creation-Date|PO-Revision-Date|X-Generator|Language-Team|'
    r"Last-Translator).*\n",
    re.MULTILINE,
)


def main() -> int:
    """Update and compile the catalogues. Return exit status 1 if a translation is missing."""
    extract(ROOT)
    lacking = 0
    for domain in DOMAINS:
        compile_catalogue(ROOT, domain)
        lacking += report(domain)
    return 1 if lacking else 0


def extract(root: Path) -> None:
    """Write `root`/locale/…/*.po: add new texts, empty; remove texts that no source contains."""
    (root / FOLDER).mkdir(parents=True, exist_ok=True)
    for domain in DOMAINS:
        endings = ["-e", "js"] if domain == "djangojs" else ["-e", "html,txt,py"]
        arguments = ["makemessages", "-l", LANGUAGE, "-d", domain, *endings]
        arguments += ["--no-location", "--no-wrap", "--no-obsolete", "-v", "0"]
        for name in sorted(path.name for path in root.iterdir() if path.is_dir()):
            if name not in (*SOURCES, "locale"):
                arguments += ["-i", name]
        _run([sys.executable, "-m", "django", *arguments], root)
        catalogue = root / FOLDER / f"{domain}.po"
        catalogue.write_text(CHANGING.sub("", catalogue.read_text("utf-8")), "utf-8")


def compile_catalogue(root: Path, domain: str, target: Path | None = None) -> None:
    """Write the `.mo` of a catalogue. Raise CalledProcessError if the catalogue is invalid."""
    source = root / FOLDER / f"{domain}.po"
    _run(
        ["msgfmt", "--check-format", "-o", str(target or source.with_suffix(".mo")), str(source)],
        root,
    )


def unfinished(root: Path, domain: str) -> list[str]:
    """Return the texts of a catalogue without a translation, or with one that gettext guessed."""
    texts: list[str] = []
    for kind in ("--untranslated", "--only-fuzzy"):
        found = _run(["msgattrib", kind, "--no-wrap", str(root / FOLDER / f"{domain}.po")], root)
        texts += re.findall(r'^msgid (".+")$', found, re.MULTILINE)
    return [text for text in texts if text != '""']


def copy_sources(target: Path) -> None:
    """Copy the sources that `extract` reads, and the catalogues, to an empty folder."""
    for name in (*SOURCES, "locale"):
        shutil.copytree(ROOT / name, target / name, ignore=shutil.ignore_patterns("__pycache__"))


def report(domain: str) -> int:
    """Print the unfinished texts. Return how many there are."""
    texts = unfinished(ROOT, domain)
    for text in texts:
        print(f"{domain}: no translation: {text}")
    return len(texts)


def _run(command: list[str], folder: Path) -> str:
    environment = {
        key: value for key, value in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"
    }
    result = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if result.returncode:
        sys.stderr.write(result.stdout + result.stderr)
        result.check_returncode()
    return result.stdout


if __name__ == "__main__":
    sys.exit(main())
