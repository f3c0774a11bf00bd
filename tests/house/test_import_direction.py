"""Imports run one way through the house; every import statement of the project is read."""

import pytest

from tests.house.layers import fault
from tests.house.source import files, imported_modules, module_name, relative

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
        ("queueing.line.services", "numbers.services"),
        ("numbers.services", "billing.services"),
    ],
)
def test_an_import_in_the_direction_is_let_through(importer, imported):
    assert fault(importer, imported) == ""
