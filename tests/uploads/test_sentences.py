"""Errors in a file are shown in the user's language, even where English was stored."""

import re
from pathlib import Path

import pytest
from django.utils import translation

from poolsite import table_files, table_reader
from poolsite.table_sentences import TEXTS, said

READERS = [*Path(table_reader.__file__).parent.glob("*.py"), Path(table_files.__file__)]
RAISED = re.compile(r'(?<!")"((?:Line|Row|The (?:file|sheet|workbook))[^"]*\.)"')


def _raised() -> set[str]:
    return {found for path in READERS for found in RAISED.findall(path.read_text())}


@pytest.mark.parametrize("sentence", sorted(_raised()))
def test_every_sentence_of_the_reader_is_known(sentence: str) -> None:
    stored = re.sub(r"\{[^}]*\}", "7", sentence)
    known = {re.sub(r"%\(\w+\)s", "7", text) for text in TEXTS}
    assert stored in known
    assert said(stored) == stored


def test_a_stored_sentence_keeps_its_figures_in_another_language() -> None:
    with translation.override("zh-hans"):
        assert "1,000,000" in said("The file has more than 1,000,000 rows.")
        assert said("A sentence of somebody else.") == "A sentence of somebody else."


def test_the_reader_has_sentences() -> None:
    assert len(_raised()) > 10
