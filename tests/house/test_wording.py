"""Texts read as plain English and as typeset Chinese. The terms are in docs/glossary.md."""

import re

import pytest

from tests.house import messages
from tests.house.source import ROOT

# Phrases that an examination found in the product, and the habits of speech behind them.
UNWANTED = [
    r"\b(no|some)body\b",
    r"\bstands? (here|there|in row)\b",
    r"\bby itself\b",
    r"\bgo(es)? on\b",
    r"\bso many\b",
    r"\bat most\b",
    r"\banew\b",
    r"\bthings?\b",
    r"\bmended\b",
    r"\bare told\b|\bis told\b|\bwho is told\b|\btold of\b",
    r"\bis like this\b|\bwas like this\b",
    r"\bthere is no such\b",
    r"\bis there\.|\bis there already\b|\bare there;",
    r"\bdo not fit\b",
    r"\bfour eyes\b",
    r"\bwho had it\b",
    r"\bhand(ed|s)? over\b",
    r"\bway to pay\b",
    r"\bask for it\b",
    r"\bknown to\b",
    r"\bof the life before\b|\blife of the data\b|\bheartbeat lives\b",
    r"\bto the unit\b",
    r"\bserves? at no\b",
    r"\bmake (the|an?) \w+$",
    r"\be-mail|\bcharge-back",
    r"^what is\b.*(?<!\?)$",
    r"^who \w+s\b",
]
PHRASE = re.compile("|".join(f"(?:{one})" for one in UNWANTED), re.IGNORECASE)
PLACE = re.compile(r"%\(\w+\)[sd]")
HAN = r"[一-鿿]"
TYPESET_BADLY = re.compile(
    rf"{HAN} +[A-Za-z0-9%]|[A-Za-z0-9%] +{HAN}|{HAN} +{HAN}|{HAN}[,;:?!]|[,;:?!]{HAN}"
    rf"|[，。：；？！“（] | [，。：；？！”）（]"
)

# What a reader types, and dates, keep the punctuation that the program understands.
TYPED = re.compile(r"14:00 平安夜|类型:简称|\[\[开始, 结束\]\]|日 H:i")


def _texts(kind: str) -> set[str]:
    """Return the texts of both catalogues: msgid (plurals, too) or msgstr, the Chinese."""
    entry = re.compile(rf'^{kind}(?:_plural|\[0\])? ((?:".*"\n)+)', re.MULTILINE)
    return {
        "".join(re.findall(r'"(.*)"\n', lines))
        for domain in messages.DOMAINS
        for lines in entry.findall((ROOT / messages.FOLDER / f"{domain}.po").read_text("utf-8"))
    }


def test_no_text_uses_a_phrase_that_users_stumbled_over():
    assert [text for text in _texts("msgid") if PHRASE.search(PLACE.sub("", text))] == []


@pytest.mark.parametrize(
    "bad",
    ["Nobody waits", "Files that were read stand here", "No gate is like this", "Who is told"],
)
def test_the_phrases_of_the_findings_are_recognised(bad: str):
    assert PHRASE.search(bad)


def test_chinese_is_typeset_as_chinese():
    """Full-width punctuation between Chinese characters; no space next to one."""
    badly = [t for t in _texts("msgstr") if TYPESET_BADLY.search(TYPED.sub("x", t))]
    assert badly == []


def test_each_term_of_the_glossary_is_used_in_chinese():
    """A term that no page uses was renamed on the pages alone."""
    rows = re.findall(
        r"^\| (?!Term|---)([^|]+) \| [^|]+ \| ([^|]+) \|$",
        (ROOT / "docs" / "glossary.md").read_text("utf-8"),
        re.MULTILINE,
    )
    assert len(rows) > 80
    used = "\n".join(_texts("msgstr"))
    unused = [
        f"{term}: {one}" for term, all_of in rows for one in all_of.split("、") if one not in used
    ]
    assert unused == []
