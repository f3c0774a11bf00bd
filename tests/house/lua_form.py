"""The form of an app's Lua, checked without running it.

A module is one file, `modules/gate.lua`: first `local gate = {}`, then only `function gate.name(…)
… end` and `gate.NAME = …`, at column 0. Operations and modules use modules by their names. They
also share fields that one of them assigns: `gate.now = …`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tests.house.lua_sources import Folder, Source
from tests.house.lua_tokens import BRACKETS, LuaSyntaxError, Token, enclosing

CONSTANT = re.compile(r"[A-Z][A-Z0-9_]*")
VALUES = {"and", "or", "not", "nil", "true", "false"}  # the keywords allowed in a constant


@dataclass
class Module:
    """What a module's file defines. `spans`: where each function begins and ends in the code."""

    source: Source
    spans: dict[str, range] = field(default_factory=dict)
    constants: set[str] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)

    def defines(self, name: str) -> bool:
        return name in self.spans or name in self.constants


@dataclass(frozen=True)
class Reference:
    """`module.name` in the code of a file. `at` is the index of `module` among its tokens."""

    source: Source
    module: str
    name: str
    at: int
    is_assigned: bool

    @property
    def line(self) -> int:
        return self.source.code[self.at].line

    @property
    def title(self) -> str:
        return f"{self.module}.{self.name}"


@dataclass(frozen=True)
class Form:
    """The modules of a folder by name, and every use of a module."""

    modules: dict[str, Module]
    references: list[Reference]

    @property
    def fields(self) -> set[str]:
        """The fields that operations and modules assign and no module defines, as "gate.now"."""
        return {each.title for each in self.references if each.is_assigned} - self.definitions

    @property
    def definitions(self) -> set[str]:
        """The functions and constants, as "gate.open"."""
        return {
            f"{name}.{each}"
            for name, module in self.modules.items()
            for each in (*module.spans, *module.constants)
        }


def read_form(folder: Folder) -> Form:
    """Read a folder's modules and their uses. Raise LuaSyntaxError for a file that isn't Lua."""
    modules = {source.name: read_module(source) for source in folder.of_kind("module")}
    return Form(
        modules,
        [
            reference
            for source in folder.of_kind("operation", "module")
            for reference in references(source, modules)
        ],
    )


def faults(folder: Folder) -> list[str]:
    """Return everything in a folder that breaks a rule of the form."""
    try:
        form = read_form(folder)
    except LuaSyntaxError as error:
        return [str(error)]
    return [
        *(fault for module in form.modules.values() for fault in module.faults),
        *_unknown(form),
        *_overwritten(form),
        *_unused(form),
        *(fault for source in folder.sources for fault in string_faults(source)),
    ]


def _unknown(form: Form) -> Iterator[str]:
    fields = form.fields
    for each in form.references:
        if not form.modules[each.module].defines(each.name) and each.title not in fields:
            yield f"{_place(each)}: {each.title} is not defined, and nothing assigns it"


def _overwritten(form: Form) -> Iterator[str]:
    for each in form.references:
        if each.is_assigned and form.modules[each.module].defines(each.name):
            yield f"{_place(each)}: {each.title} is defined by its module, and assigned here"


def _unused(form: Form) -> Iterator[str]:
    for name, module in form.modules.items():
        for function, span in module.spans.items():
            if not any(
                (each.module, each.name) == (name, function)
                and (each.source is not module.source or each.at not in span)
                for each in form.references
            ):
                line = module.source.code[span.start].line
                yield f"{module.source.place}:{line}: nothing uses {name}.{function}"


def string_faults(source: Source) -> Iterator[str]:
    """Yield the strings that the loader would change.

    It puts a module on one line: it removes comments and collapses whitespace.
    """
    for token in source.tokens:
        if token.kind == "string" and re.search(r"--|\s\s|\n", token.text):
            said = "a string with two dashes, two blanks or a line break"
            yield f"{source.place}:{token.line}: {said}: the loader would change it"


def _place(each: Reference) -> str:
    return f"{each.source.place}:{each.line}"


def _words(code: Sequence[Token]) -> list[str]:
    return [token.text for token in code]


# -- a module's file ------------------------------------------------------------------------------


def read_module(source: Source) -> Module:
    """Return what a module's file defines, and its deviations from the form."""
    module = Module(source)
    code, around = source.code, _enclosing(source)
    opening = ["local", source.name, "=", "{", "}"]
    at = len(opening)
    if _words(code[:at]) != opening or code[0].column:
        _fault(module, 0, f"the first line of code must be `local {source.name} = {{}}`")
        at = 0
    while at < len(code):
        at = _statement(module, at, around)
    for place, token in enumerate(code):
        if around[place] and not token.column:
            _fault(module, place, f"'{token.text}' inside of something must be indented")
    return module


def _statement(module: Module, at: int, around: Sequence[str]) -> int:
    """Read the statement at `at`, and return where the next one begins."""
    code, name = module.source.code, module.source.name
    words = _words(code[at : at + 5])
    if words[:3] == ["function", name, "."] and words[4:] == ["("] and not code[at].column:
        end = next(i for i in range(at, len(code)) if code[i].text == "end" and not around[i])
        _define(module, at, words[3])
        module.spans[words[3]] = range(at, end + 1)
        if code[end].column and code[end].line != code[at].line:
            _fault(module, end, f"the end of {name}.{words[3]} must be at column 0")
        return end + 1
    end = _next_outermost(code, around, at)
    is_constant = words[:2] == [name, "."] and words[3:4] == ["="] and not code[at].column
    if is_constant and CONSTANT.fullmatch(words[2]) and _is_value(code, around, at + 4, end):
        _define(module, at, words[2])
        module.constants.add(words[2])
    else:
        _fault(module, at, f"neither `function {name}.name(…)` nor `{name}.NAME = …` at column 0")
    return end


def _next_outermost(code: Sequence[Token], around: Sequence[str], at: int) -> int:
    """Return the index after `at` of the next token at column 0 that begins a statement."""
    for place in range(at + 1, len(code)):
        is_closing = code[place].text in ("end", "until", *BRACKETS.values())
        if not code[place].column and not around[place] and not is_closing:
            return place
    return len(code)


def _is_value(code: Sequence[Token], around: Sequence[str], begin: int, end: int) -> bool:
    """Return whether the tokens are one value: no second assignment, statement or function."""
    return begin < end and all(
        not (code[place].text == "=" and not around[place])
        and (code[place].kind != "keyword" or code[place].text in VALUES)
        for place in range(begin, end)
    )


def _define(module: Module, at: int, name: str) -> None:
    if module.defines(name):
        _fault(module, at, f"{module.source.name}.{name} is defined twice")


def _fault(module: Module, at: int, said: str) -> None:
    line = module.source.code[at].line if module.source.code else 1
    module.faults.append(f"{module.source.place}:{line}: {said}")


# -- uses of modules ------------------------------------------------------------------------------


def references(source: Source, modules: dict[str, Module]) -> Iterator[Reference]:
    """Yield every `module.name` of a file, except the definitions in the module's own file."""
    code, around = source.code, _enclosing(source)
    own = modules.get(source.name) if source.kind == "module" else None
    for at in range(len(code) - 2):
        before = code[at - 1].text if at else ""
        is_use = code[at].kind == "name" and code[at].text in modules
        is_use = is_use and code[at + 1].text in (".", ":") and before not in (".", ":")
        if not is_use or (own and own.source.name == code[at].text and before == "function"):
            continue
        assigned = around[at] not in BRACKETS and _assigns(code, at + 3)
        if own and assigned and not around[at]:
            continue  # a constant; anything else here is a fault of the module
        yield Reference(source, code[at].text, code[at + 2].text, at, assigned)


def _assigns(code: Sequence[Token], at: int) -> bool:
    """Return whether what precedes `at` is assigned: `= …` follows, or `, more = …`."""
    while at < len(code) and code[at].text == ",":
        at += 2
        while at < len(code) and code[at].text in (".", "["):
            at = at + 2 if code[at].text == "." else _after_index(code, at)
    return at < len(code) and code[at].text == "=" and code[at].kind == "sign"


def _after_index(code: Sequence[Token], at: int) -> int:
    depth = 0
    for place in range(at, len(code)):
        if code[place].kind == "sign":
            depth += (code[place].text == "[") - (code[place].text == "]")
        if not depth:
            return place + 1
    return len(code)


def _enclosing(source: Source) -> list[str]:
    try:
        return enclosing(source.code)
    except LuaSyntaxError as error:
        raise LuaSyntaxError(f"{source.place}: {error}") from error
