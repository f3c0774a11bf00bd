"""The header of a Lua file: a contract that is read strictly."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from poolsite.hotpath.errors import ScriptHeaderError

KEY_TYPES = frozenset({"HASH", "LIST", "SET", "STREAM", "STRING", "ZSET"})
LABELS = ("Purpose", "Reply", "Errors", "Complexity", "Version")
# Optional: which part of the operation a server without memory runs. Without it, none.
FULL_SERVER = "Full server"
RUNS, RUNS_GIVING_BACK = "runs", "runs what gives back"
_LABEL = re.compile(r"([A-Z][a-z]+(?: server)?):\s*(.*)")
_SLOT = re.compile(r"(KEYS|ARGV)\[(\d+)(\+?)\]\s+(\S+)\s*(.*)")
_SAME_KEYS = re.compile(r"KEYS as (\w+)/(\w+)")
_TAG = re.compile(r"\{[^{}\s]+\}")


@dataclass
class Header:
    """The content of a header. `keys` are suffixes to the tag. `more_keys`: the last may repeat."""

    title: str
    keys: list[str] = field(default_factory=list)
    more_keys: bool = False
    arguments: list[str] = field(default_factory=list)
    more_arguments: bool = False
    labels: dict[str, str] = field(default_factory=dict)

    @property
    def version(self) -> int:
        return int(self.labels["Version"])

    @property
    def full_server(self) -> str:
        return self.labels.get(FULL_SERVER, "")


def parse_header(body: str, path: Path, title: str) -> Header:
    """Return the header of a Lua file that must have the title `title`, e.g. "numbers/event".

    Raise ScriptHeaderError, naming file and line, for a line that the contract doesn't allow.
    """
    return _Parser(path, title).parse(body.splitlines())


class _Parser:
    """A parser of one header. `asking`: the files that take their keys from this one."""

    def __init__(self, path: Path, title: str, asking: tuple[Path, ...] = ()) -> None:
        self.path = path
        self.chain = (*asking, path)
        self.line = 1
        self.header = Header(title)
        self.tag = ""

    def fail(self, reason: str) -> ScriptHeaderError:
        return ScriptHeaderError(f"{self.path}:{self.line}: {reason}")

    def parse(self, lines: list[str]) -> Header:
        first = f"--[[ {self.header.title}"
        if not lines or lines[0].rstrip() != first:
            raise self.fail(f"the first line must be '{first}'")
        for self.line, text in enumerate(lines[1:], start=2):
            if text.strip() == "]]":
                self._check_whole()
                return self.header
            if text.strip() and not text[0].isspace():  # an indented line continues the one above
                self._read(text.rstrip())
        raise self.fail("the header is not closed by ']]'")

    def _read(self, text: str) -> None:
        same = _SAME_KEYS.fullmatch(text)
        slot, label = _SLOT.fullmatch(text), _LABEL.fullmatch(text)
        if slot is not None:
            self._read_slot(slot[1], int(slot[2]), bool(slot[3]), slot[4], slot[5])
        elif label is not None:
            self._read_label(label[1], label[2])
        elif same is not None:
            self._take_keys(same[1], same[2])
        else:
            raise self.fail(f"not understood: '{text}' (indent a line that continues another)")

    def _read_label(self, label: str, text: str) -> None:
        if label not in (*LABELS, FULL_SERVER):
            raise self.fail(f"unknown label '{label}'")
        if label in self.header.labels:
            raise self.fail(f"'{label}' stands twice")
        if not text:
            raise self.fail(f"'{label}' is empty")
        if label == "Version" and not re.fullmatch(r"[1-9][0-9]*", text):
            raise self.fail("Version must be a whole number from 1")
        if label == FULL_SERVER and text not in (RUNS, RUNS_GIVING_BACK):
            raise self.fail(f"'{label}' is '{RUNS}' or '{RUNS_GIVING_BACK}'")
        self.header.labels[label] = text

    def _read_slot(self, kind: str, index: int, more: bool, name: str, rest: str) -> None:
        header = self.header
        known = header.keys if kind == "KEYS" else header.arguments
        if header.more_keys if kind == "KEYS" else header.more_arguments:
            raise self.fail(f"nothing may follow the {kind} line with a +")
        if index != len(known) + 1:
            raise self.fail(f"expected {kind}[{len(known) + 1}], found {kind}[{index}]")
        if kind == "KEYS":
            known.append(self._suffix(index, name))
            header.more_keys = more
            if rest.split(maxsplit=1)[:1] == [] or rest.split()[0] not in KEY_TYPES:
                raise self.fail(f"KEYS[{index}] needs a type: {', '.join(sorted(KEY_TYPES))}")
        else:
            known.append(name)
            header.more_arguments = more

    def _take_keys(self, app: str, name: str) -> None:
        """Take the keys of another operation of the same folder."""
        other = self.path.with_name(f"{name}.lua")
        if self.header.keys or other in self.chain or not other.is_file():
            raise self.fail(f"these cannot be the keys of {app}/{name}")
        lines = other.read_text(encoding="utf-8").splitlines()
        its = _Parser(other, f"{app}/{name}", self.chain).parse(lines)
        self.header.keys, self.header.more_keys = list(its.keys), its.more_keys

    def _suffix(self, index: int, name: str) -> str:
        if index == 1:
            if _TAG.fullmatch(name) is None:
                raise self.fail(f"KEYS[1] must be the tag itself, e.g. {{pool}}, not '{name}'")
            self.tag = name
            return ""
        if not name.startswith(self.tag + ":"):
            raise self.fail(f"KEYS[{index}] must start with '{self.tag}:', not '{name}'")
        return name.removeprefix(self.tag)

    def _check_whole(self) -> None:
        missing = [label for label in LABELS if label not in self.header.labels]
        if missing:
            raise self.fail(f"missing: {', '.join(missing)}")
        if not self.header.keys:
            raise self.fail("missing: KEYS[1]")
