"""Topics that have one state per account, or one for the platform and all accounts."""

import re
from typing import ClassVar

from django.conf import settings
from django.utils.translation import get_language

from poolsite import access
from poolsite.hotpath.rows import SLUG_PATTERN
from poolsite.live.topics import Topic

ALL = "all"
_SLUG = re.compile(SLUG_PATTERN)


class AccountTopic(Topic):
    """A topic whose key is an account's ID, or "all" for operators only. In a language other than
    English, the language follows: `7.zh-hans`. Subclasses name the action.
    """

    action: ClassVar[str]

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.scope, self.language = language_of(key)
        decimal = self.scope.isascii() and self.scope.isdecimal() and len(self.scope) < 19
        if self.scope != ALL and not decimal:
            raise ValueError(f"no account: {key!r}")

    @property
    def account_id(self) -> int | None:
        """The account, or None for all of them."""
        return None if self.scope == ALL else int(self.scope)

    async def allowed(self, principal: access.Principal) -> access.Decision:
        if self.account_id is not None:
            thing = access.Thing("account", self.scope, self.account_id)
            return access.decide(principal, self.action, thing)
        decision = access.decide(principal, self.action)
        return decision if not decision or principal.is_operator else access.Decision.FORBIDDEN


def address_for(principal: access.Principal, name: str) -> str:
    """Return the address of the AccountTopic `name` for a reader: all, or their only account's.

    Return "" if there is none: no topic shows just the several accounts of one reader.
    """
    if principal.is_operator:
        return f"{name}:{ALL}"
    if len(principal.account_ids) == 1:
        return f"{name}:{next(iter(principal.account_ids))}"
    return ""


def language_of(key: str) -> tuple[str, str]:
    """Return a key and the language behind it, by default English. Raise ValueError if unknown."""
    rest, _, language = key.partition(".")
    if language and language not in dict(settings.LANGUAGES):
        raise ValueError(f"no language {language!r}")
    return rest, language or "en"


def in_language(address: str) -> str:
    """Return the address with the reader's language behind it, for a topic that shows texts.

    "" stays "".
    """
    language = get_language() or "en"
    return f"{address}.{language}" if address and language != "en" else address


def slug_of(key: str, kind: str) -> str:
    """Return the key if it is a slug. Otherwise raise ValueError, which names the kind."""
    if not _SLUG.fullmatch(key):
        raise ValueError(f"not a {kind}: {key!r}")
    return key


def id_of(key: str, kind: str) -> int:
    """Return the key as a row's ID if SQL can store it. Otherwise raise ValueError."""
    if not (key.isascii() and key.isdecimal() and len(key) < 19):
        raise ValueError(f"not a {kind}: {key!r}")
    return int(key)
