"""The site's settings with every text of ours 40 % longer, in place of the Chinese texts.

What still fits then leaves room for a language whose words are longer than English ones.
`write(folder)` makes the catalogues that these settings read, `environment(folder)` points to both.
"""

import os
import re
import struct
from math import ceil
from pathlib import Path

from poolsite.settings import *  # noqa: F403

FOLDER = "LONG_WORDS_FOLDER"
SHARE = 0.4
LOCALE = Path(__file__).parents[2] / "locale" / "zh_Hans" / "LC_MESSAGES"
HEAD = b"Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=2; plural=(n != 1);\n"
# Parts that are not prose: placeholders, tags, entities, addresses, and letters of date formats.
KEPT = re.compile(r"(%\(\w+\)[sd]|%[sd%]|\{[^}]*\}|<[^>]*>|&\w+;|https?://\S+)")
WORD = re.compile(r"[A-Za-z]{2,}")

if FOLDER in os.environ:
    LOCALE_PATHS = [Path(os.environ[FOLDER])]


def environment(folder: Path) -> dict[str, str]:
    """Return the environment that makes a process of the site use the long texts."""
    return {"DJANGO_SETTINGS_MODULE": __name__, FOLDER: str(folder)}


def write(folder: Path) -> None:
    """Make the catalogues from the compiled catalogues of the tree."""
    place = folder / "zh_Hans" / "LC_MESSAGES"
    place.mkdir(parents=True)
    for name in ("django.mo", "djangojs.mo"):
        keys = [key for key in _keys((LOCALE / name).read_bytes()) if key]
        (place / name).write_bytes(_compiled({b"": HEAD, **{key: _long(key) for key in keys}}))


def _long(key: bytes) -> bytes:
    """Return a message's key as its translation: singular and plural, without the context."""
    text = key.decode().rpartition("\4")[2]
    pieces = KEPT.split(text)
    pieces[::2] = [WORD.sub(_longer, piece) for piece in pieces[::2]]
    return "".join(pieces).encode()


def _longer(word: re.Match[str]) -> str:
    return word[0] + word[0][: ceil(len(word[0]) * SHARE)].lower()


def _keys(compiled: bytes) -> list[bytes]:
    """Return the originals of a .mo file: a table of lengths and offsets."""
    _magic, _revision, count, originals = struct.unpack_from("<4I", compiled)
    pairs = [struct.unpack_from("<2I", compiled, originals + 8 * row) for row in range(count)]
    return [compiled[place : place + length] for length, place in pairs]


def _compiled(messages: dict[bytes, bytes]) -> bytes:
    rows = sorted(messages.items())
    start = 28 + 16 * len(rows)
    tables, texts = [b"", b""], b""
    for side in (0, 1):
        for row in rows:
            tables[side] += struct.pack("<2I", len(row[side]), start + len(texts))
            texts += row[side] + b"\0"
    places = (0x950412DE, 0, len(rows), 28, 28 + 8 * len(rows), 0, start)
    return struct.pack("<7I", *places) + tables[0] + tables[1] + texts
