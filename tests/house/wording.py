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
# Habits of speech that made docstrings hard to read, and what to write instead.
UNCLEAR = [
    r"\b(no|some)body\b",  # no one, someone, or who it is
    r"\bwhoever\b",  # the caller, the user
    r"\bhow (it|they|things|an? \w+|the \w+) stands?\b",  # its state
    r"\bstands? (open|here|there|beside|in row)\b",  # is valid, is unpaid, is stored
    r"\bby itself\b",  # automatically
    r"\bgo(es)? on\b",  # continues
    r"\banew\b|\bfor ever\b",  # again, forever
    r"\bforeign (one|thing)s?\b",  # of another account
    r"\ba very (number|thing|call)\b",  # a specific one
    r"\bfalls? silent\b|\bis silent\b",  # no longer responds, is not heard
    r"\bthe same of\b",  # like the function that is meant
    r"\bits words\b",  # its arguments, its text
]
_UNCLEAR = re.compile("|".join(f"(?:{one})" for one in UNCLEAR), re.IGNORECASE)
_PHRASE = re.compile("|".join(f"(?:{one})" for one in UNWANTED), re.IGNORECASE)
_PLACE = re.compile(r"%\(\w+\)[sd]")


def unwanted(text: str) -> bool:
    """Return whether a text uses such a phrase. Its placeholders do not count."""
    return bool(_PHRASE.search(_PLACE.sub("", text)))


def unclear(text: str) -> str:
    """Return the phrase that makes a docstring hard to read, or nothing."""
    found = _UNCLEAR.search(text)
    return found[0] if found else ""
