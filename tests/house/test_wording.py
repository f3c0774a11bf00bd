"""Texts are plain English and well-typeset Chinese.

Their terms are in docs/reference/glossary.md.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house import messages
from tests.house.figures import product_files
from tests.house.source import ROOT, tree
from tests.house.wording import unclear, unwanted

HAN = r"[一-鿿]"
TYPESET_BADLY = re.compile(
    rf"{HAN} +[A-Za-z0-9%]|[A-Za-z0-9%] +{HAN}|{HAN} +{HAN}|{HAN}[,;:?!]|[,;:?!]{HAN}"
    rf"|[，。：；？！“（] | [，。：；？！”）（]"
)

# What users type, and dates, keep the punctuation that the program parses.
TYPED = re.compile(r"14:00 平安夜|类型:简称|\[\[开始, 结束\]\]|日 H:i")


def _texts(kind: str) -> set[str]:
    """Return the texts of both catalogues: msgid (with plurals) or msgstr, the Chinese."""
    entry = re.compile(rf'^{kind}(?:_plural|\[0\])? ((?:".*"\n)+)', re.MULTILINE)
    return {
        "".join(re.findall(r'"(.*)"\n', lines))
        for domain in messages.DOMAINS
        for lines in entry.findall((ROOT / messages.FOLDER / f"{domain}.po").read_text("utf-8"))
    }


def test_no_text_uses_a_phrase_that_users_stumbled_over():
    assert [text for text in _texts("msgid") if unwanted(text)] == []


@pytest.mark.parametrize(
    "bad",
    ["Nobody waits", "Files that were read stand here", "No gate is like this", "Who is told"],
)
def test_the_phrases_of_the_findings_are_recognised(bad: str):
    assert unwanted(bad)


def test_no_docstring_is_a_riddle():
    found = [
        f"{path.relative_to(ROOT)}: {phrase}: {text.splitlines()[0]}"
        for path in product_files()
        for text in _docstrings(path)
        if (phrase := unclear(text))
    ]
    assert found == []


def _docstrings(path: Path) -> Iterator[str]:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree(path)):
        if isinstance(node, kinds) and (text := ast.get_docstring(node)):
            yield text


def test_chinese_is_typeset_as_chinese():
    """Full-width punctuation between Chinese characters, and no space next to one."""
    badly = [t for t in _texts("msgstr") if TYPESET_BADLY.search(TYPED.sub("x", t))]
    assert badly == []


def test_each_term_of_the_glossary_is_used_in_chinese():
    """A term that no page uses was renamed on the pages only."""
    rows = re.findall(
        r"^\| (?!Term|---)([^|]+) \| [^|]+ \| ([^|]+) \|$",
        (ROOT / "docs/reference/glossary.md").read_text("utf-8"),
        re.MULTILINE,
    )
    assert len(rows) > 80
    used = "\n".join(_texts("msgstr"))
    unused = [
        f"{term}: {one}" for term, all_of in rows for one in all_of.split("、") if one not in used
    ]
    assert unused == []
