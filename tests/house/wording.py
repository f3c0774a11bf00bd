"""Phrases that users stumbled over. No text of the product uses them."""

import re

# Phrases that a review found in the product, and the speech habits behind them.
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
_PHRASE = re.compile("|".join(f"(?:{one})" for one in UNWANTED), re.IGNORECASE)
_PLACE = re.compile(r"%\(\w+\)[sd]")


def unwanted(text: str) -> bool:
    """Return whether a text uses such a phrase. Its placeholders do not count."""
    return bool(_PHRASE.search(_PLACE.sub("", text)))
