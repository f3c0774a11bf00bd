"""Imports go in one direction. Every import statement of the project is checked."""

import pytest

from tests.house.layers import fault, unknown_packages
from tests.house.source import ROOT, files, imported_modules, module_name, relative

pytestmark = pytest.mark.processes


def test_every_import_runs_in_the_house_s_direction():
    faults = [
        f"{relative(path)}:{line} imports {imported}: {reason}"
        for path in files(".py")
        if not relative(path).startswith("tests/")
        for line, imported in imported_modules(path)
        if (reason := fault(module_name(path), imported))
    ]
    assert faults == []


def test_every_package_of_poolsite_has_a_place_in_the_order():
    folders = {each.parent.name for each in (ROOT / "poolsite").glob("*/__init__.py")}
    assert unknown_packages(folders) == set()
    assert unknown_packages({*folders, "leftover"}) == {"leftover"}


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("numbers.pool", "numbers.services"),
        ("numbers.services", "numbers.api.events"),
        ("numbers.models.pools", "numbers.selectors"),
        ("poolsite.live.socket", "numbers.topics"),
        ("queueing.line.services", "queueing.admission.services"),
        ("queueing.line.services", "numbers.pool"),
        ("billing.services", "numbers.services"),
        ("integrations.simulator.switch", "numbers.pool"),
        ("integrations.simulator.switch", "poolsite.hotpath"),
        ("poolsite.access.rules", "poolsite.console.navigation"),
        ("poolsite.console.pages", "poolsite.operations.models"),
        ("poolsite.moments", "poolsite.hotpath"),
        ("poolsite.jobs.apps", "poolsite.celery"),
        ("poolsite.live.feed", "poolsite.asgi"),
    ],
)
def test_an_import_against_the_direction_is_found(importer, imported):
    assert fault(importer, imported) != ""


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("numbers.api.events", "numbers.services"),
        ("numbers.services.calls", "numbers.pool"),
        ("numbers.apps", "numbers.topics"),
        ("numbers.pool", "poolsite.hotpath"),
        ("poolsite.urls", "numbers.urls"),
        ("poolsite.hotpath.commands", "numbers"),
        ("poolsite.people.menu", "poolsite.console.navigation"),
        ("poolsite.operations.apps", "poolsite.celery"),
        ("poolsite.table_files", "poolsite.table_reader.cells"),
        ("poolsite.asgi", "poolsite.backup"),
        ("queueing.line.services", "numbers.services"),
        ("numbers.services", "billing.services"),
    ],
)
def test_an_import_in_the_direction_is_let_through(importer, imported):
    assert fault(importer, imported) == ""
