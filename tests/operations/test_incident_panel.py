"""The incident that is opened beside the list."""

import pytest
from django.test import Client

from poolsite.operations import incidents
from poolsite.operations.models import Incident
from tests.access.world import make_world

LIST = "/incidents/"


@pytest.fixture
def operator(db: None) -> Client:
    return make_world().client("operate")


@pytest.fixture
def incident(db: None) -> Incident:
    said = {"title": "Broken", "remedy": "Mend it."}
    return incidents.open(type="x.broken", object="one", severity="warning", **said)


def test_the_address_opens_an_incident_beside_the_list(
    operator: Client, incident: Incident
) -> None:
    page = operator.get(LIST, {"panel": incident.pk})
    assert page.context["panel"]["incident"] == incident
    assert "data-incident-panel" in page.content.decode()


@pytest.mark.parametrize("asked", ["", "x", "-1", "9" * 30])
def test_what_is_no_number_opens_none(operator: Client, asked: str) -> None:
    page = operator.get(LIST, {"panel": asked})
    assert page.status_code == 200
    assert page.context["panel"] is None


def test_one_that_is_missing_is_not_found(operator: Client) -> None:
    assert operator.get(LIST, {"panel": 987654}).status_code == 404


def test_a_form_of_the_panel_leads_back_to_it(operator: Client, incident: Incident) -> None:
    form = {"text": "Seen", "back": "panel"}
    told = operator.post(f"{LIST}{incident.pk}/notes/", form)
    assert told["Location"] == f"{LIST}?panel={incident.pk}"
