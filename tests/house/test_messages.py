"""The console is completely translated into English and Simplified Chinese."""

import gettext
import re
from pathlib import Path

import pytest

from tests.house import messages
from tests.house.source import ROOT

pytestmark = pytest.mark.processes

PLACE = re.compile(r"%\(\w+\)[sd]|%[sd]|\{\w*\}|%%")


@pytest.mark.needs("gettext")
@pytest.mark.parametrize("domain", messages.DOMAINS)
def test_every_text_of_the_sources_is_translated(domain: str, tmp_path: Path) -> None:
    """To mend a failure, run `make messages`, then translate the texts that it prints."""
    messages.copy_sources(tmp_path)
    messages.extract(tmp_path)
    kept = (ROOT / messages.FOLDER / f"{domain}.po").read_text("utf-8")
    assert (tmp_path / messages.FOLDER / f"{domain}.po").read_text("utf-8") == kept
    assert messages.unfinished(ROOT, domain) == []


@pytest.mark.needs("gettext")
@pytest.mark.parametrize("domain", messages.DOMAINS)
def test_the_compiled_catalogue_is_that_of_the_text(domain: str, tmp_path: Path) -> None:
    target = tmp_path / f"{domain}.mo"
    messages.compile_catalogue(ROOT, domain, target)
    assert _catalogue(target) == _catalogue(ROOT / messages.FOLDER / f"{domain}.mo")


@pytest.mark.parametrize("domain", messages.DOMAINS)
def test_a_translation_keeps_the_places_of_its_text(domain: str) -> None:
    wrong = [
        text
        for text, said in _catalogue(ROOT / messages.FOLDER / f"{domain}.mo").items()
        if text and not _same_places(text, said)
    ]
    assert wrong == []


def _same_places(text: str, said: str) -> bool:
    return sorted(PLACE.findall(text)) == sorted(PLACE.findall(said))


def _catalogue(path: Path) -> dict[str, str]:
    """Return text → translation, without plurals: gettext itself compares their placeholders."""
    with path.open("rb") as file:
        known = gettext.GNUTranslations(file)._catalog
    return {key: said for key, said in known.items() if isinstance(key, str)}
