"""Which problem types a function can answer, read from the source of the code that it calls.

Calls are followed by name through the modules of this project. A literal in the call of an error is
`certain`; what is returned, or looked up in a table of the module, is `possible`.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, is_dataclass
from functools import cache
from types import FunctionType, MethodType, ModuleType
from typing import Any

from django.db.models import Model
from django.http import Http404

from poolsite.api.problems import (
    RefusedError,
    django_problem,
    kind_of_refusal,
    problem,
    problem_response,
    problem_types,
)

OURS = ("billing", "numbers", "poolsite", "queueing")
ANSWERS = (problem, problem_response, django_problem)


@dataclass
class Raised:
    """Problem types, by how sure it is that they can be answered."""

    certain: set[str] = field(default_factory=set)
    possible: set[str] = field(default_factory=set)


def raised_by(
    views: Iterable[Callable[..., Any]], *, ends: Iterable[Callable[..., Any]] = ()
) -> Raised:
    """Return what these functions, and all that they call, can answer. ends: functions to skip."""
    found = Raised()
    todo = [inspect.unwrap(view) for view in views]
    seen = {inspect.unwrap(each) for each in ends}
    while todo:
        function = todo.pop()
        if function in seen:
            continue
        seen.add(function)
        own, called = _read(function)
        found.certain |= own.certain
        found.possible |= own.possible
        todo += called
    return found


@cache
def _read(function: FunctionType) -> tuple[Raised, list[FunctionType]]:
    """Return what a function itself can answer, and the functions of this project that it calls."""
    kinds = {kind for _status, kind, _when in problem_types()}
    found, called = Raised(), []
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))):
        if isinstance(node, ast.Call):
            found.certain |= kinds & set(_said(node, function))
        elif isinstance(node, ast.Return):
            found.possible |= kinds & {*_constants(node)}
        elif isinstance(node, ast.Name | ast.Attribute):
            named = _resolved(node, function)
            if isinstance(named, RefusedError):
                found.certain.add(named.kind)
            elif named is Http404:  # or caught
                found.possible.add("not-found")
            elif isinstance(named, Mapping | tuple):
                found.possible |= kinds & set(_texts(named))
            else:
                called += _bodies(named)
    return found, called


def _said(call: ast.Call, function: Any) -> Iterator[str]:
    """Yield the texts in the call of an error, and the name of a missing object in a refusal."""
    named = _resolved(call.func, function)
    is_error = inspect.isclass(named) and issubclass(named, RefusedError)
    places = call.args[1:] if named is kind_of_refusal else call.args[:1]
    if is_error or named in ANSWERS or named is kind_of_refusal:
        for place in places:
            if isinstance(place, ast.Constant):
                yield str(place.value)


def _constants(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield each.value


def _texts(named: Any) -> Iterator[str]:
    """Yield the texts among the values of a table, and in their tuples."""
    for value in named.values() if isinstance(named, Mapping) else named:
        if isinstance(value, str):
            yield value
        elif isinstance(value, tuple):
            yield from (each for each in value if isinstance(each, str))


def _bodies(named: Any) -> list[FunctionType]:
    """Return the function, or the methods of a class of ours that is no model and no error."""
    if not str(getattr(named, "__module__", "")).startswith(OURS):
        return []
    if isinstance(named, MethodType):
        return _of_declaration(named)
    if inspect.isclass(named) and not issubclass(named, Model | Exception):
        return [each for part in vars(named).values() for each in _bodies(part)]
    plain = inspect.unwrap(named) if callable(named) else named
    written = isinstance(plain, FunctionType) and plain.__code__.co_filename.endswith(".py")
    return [plain] if written and plain.__name__ != "<lambda>" else []


def _of_declaration(method: MethodType) -> list[FunctionType]:
    """Return a declaration's method, and the app's functions that it calls through `self`."""
    owner, todo = method.__self__, [method.__func__]
    found: list[Any] = []
    while todo:
        function = todo.pop()
        found.append(function)
        for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                part = getattr(owner, node.attr, None) if node.value.id == "self" else None
                if isinstance(part, MethodType) and part.__func__ not in (*todo, *found):
                    todo.append(part.__func__)
                elif isinstance(part, FunctionType):
                    found += _bodies(part)
    return found


def _resolved(node: ast.expr, function: Any) -> Any:
    """Return what a name, or a module's or declaration's attribute, refers to inside the function.

    Return None if that is unknown.
    """
    if isinstance(node, ast.Name):
        return function.__globals__.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = _resolved(node.value, function)
        is_declaration = is_dataclass(owner) and not inspect.isclass(owner)
        if isinstance(owner, ModuleType) or is_declaration:
            return getattr(owner, node.attr, None)
    return None
