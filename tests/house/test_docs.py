"""What the documents name exists: commands, files, environment variables."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from django.core.management import get_commands

from tests.house.source import ROOT, files, relative, text_of, tree

pytestmark = pytest.mark.processes

MAKE = re.compile(r"(?:^|`|\$ )make ((?:[a-z-]+)(?: [a-z-]+)*)", re.MULTILINE)
MANAGE = re.compile(r"manage\.py ([a-z_]+)")
LINK = re.compile(r"\]\((?=[^)\s])([^)#\s]*)(?:#([^)]*))?\)|<img [^>]*src=\"([^\"]+)\"")
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
READS = re.compile(r"env\.\w+|os\.environ\.get|os\.getenv")
VARIABLE = re.compile(r"^\| `([A-Z][A-Z0-9_]+)` \|", re.MULTILINE)
FOUR_SCREENS_LINES = 200
MODULES_OF_A_FLOW = 15
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


def test_every_relative_link_leads_to_a_file_and_a_heading():
    broken = [
        f"{relative(path)}: {target}#{anchor}"
        for path in files(".md")
        for target, anchor, picture in LINK.findall(text_of(path))
        if not _leads_somewhere(path, target or picture, anchor)
    ]
    assert broken == []


def _leads_somewhere(page: Path, target: str, anchor: str) -> bool:
    if "://" in target or target.startswith("mailto:"):
        return True
    other = page.parent / target if target else page
    if not other.exists():
        return False
    return not anchor or other.suffix != ".md" or anchor in _anchors(other)


@cache
def _anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub generates them."""
    headings = re.findall(r"^#+ (.+)$", FENCED.sub("", text_of(page)), re.MULTILINE)
    shown = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in headings]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in shown}


def test_decisions_are_numbered_without_gaps_and_listed():
    records = sorted((ROOT / "docs/decisions").glob("[0-9]*.md"))
    assert [path.name[:4] for path in records] == [f"{n + 1:04d}" for n in range(len(records))]
    listed = (ROOT / "docs/decisions/README.md").read_text()
    for path in records:
        title = text_of(path).partition("\n")[0].removeprefix("# ")
        assert title.startswith(f"{path.name[:4]}: ")
        assert listed.count(f"| [{path.name[:4]}]({path.name}) | {title[6:]} |") == 1


def test_the_architecture_page_is_short_and_names_modules_that_exist():
    page = (ROOT / "docs/architecture.md").read_text()
    assert len(page.splitlines()) <= FOUR_SCREENS_LINES
    flows = re.findall(r"^### .*?(?=^#|\Z)", page, re.MULTILINE | re.DOTALL)
    assert len(flows) == 3
    for flow in flows:
        modules = re.findall(r"^\| \d+ \| `([^`]+)` \|", flow, re.MULTILINE)
        assert 5 < len(modules) <= MODULES_OF_A_FLOW
        assert [name for name in modules if not (ROOT / name).is_file()] == []


def _variables_read() -> set[str]:
    """Return the environment variables that the product's code reads by name."""
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
