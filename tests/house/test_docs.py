"""What the documents name exists: commands, files, environment variables."""

import ast
import re

import pytest
from django.core.management import get_commands

from tests.house.source import ROOT, files, relative, text_of, tree

pytestmark = pytest.mark.processes

MAKE = re.compile(r"(?:^|`|\$ )make ((?:[a-z-]+)(?: [a-z-]+)*)", re.MULTILINE)
MANAGE = re.compile(r"manage\.py ([a-z_]+)")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)|<img [^>]*src=\"([^\"]+)\"")
READS = re.compile(r"env\.\w+|os\.environ\.get|os\.getenv")
VARIABLE = re.compile(r"^\| `([A-Z][A-Z0-9_]+)` \|", re.MULTILINE)
DOCUMENTS = [path for path in files(".md") if not relative(path).startswith("docs/decisions/")]


def _targets() -> set[str]:
    makefile = (ROOT / "Makefile").read_text()
    return set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))


def test_every_make_target_that_a_document_names_exists():
    named = {
        word
        for path in DOCUMENTS
        for words in MAKE.findall(text_of(path))
        for word in [words.split()[0]]
    }
    assert named - _targets() == set()
    assert {"demo", "test"} <= named


def test_every_management_command_that_a_document_names_exists():
    named = {command for path in DOCUMENTS for command in MANAGE.findall(text_of(path))}
    assert named - set(get_commands()) == set()


def test_every_relative_link_leads_somewhere():
    broken = [
        f"{relative(path)}: {target}"
        for path in files(".md")
        for pair in LINK.findall(text_of(path))
        for target in [pair[0] or pair[1]]
        if "://" not in target and not target.startswith("mailto:")
        if not (path.parent / target).exists()
    ]
    assert broken == []


def _variables_read() -> set[str]:
    """Return the environment variables that the code of the product asks for by name."""
    names = set()
    for path in [*files(".py")]:
        if not relative(path).startswith(("poolsite/", "numbers/", "queueing/", "billing/")):
            continue
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Call) and READS.fullmatch(ast.unparse(node.func)):
                names |= {
                    argument.value
                    for argument in node.args[:1]
                    if isinstance(argument, ast.Constant)
                }
    return {str(name) for name in names} - {"DJANGO_SETTINGS_MODULE"}


def test_the_table_of_settings_is_what_the_code_reads():
    documented = VARIABLE.findall((ROOT / "docs" / "operations" / "settings.md").read_text())
    assert sorted(documented) == sorted(set(documented)), "a variable stands there twice"
    assert set(documented) == _variables_read()
