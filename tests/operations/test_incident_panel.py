"""The incident that opens in a panel next to the list."""

import pytest
from django.test import Client
from django.utils.html import escape

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
    assert 'id="panel-title"' in page.content.decode()


@pytest.mark.parametrize("asked", ["", "x", "-1", "9" * 30])
def test_what_is_no_number_opens_none(operator: Client, asked: str) -> None:
    page = operator.get(LIST, {"panel": asked})
    assert page.status_code == 200
    assert page.context["panel"] is None


def test_one_that_is_missing_is_not_found(operator: Client) -> None:
    assert operator.get(LIST, {"panel": 987654}).status_code == 404


@pytest.mark.parametrize(
    ("verb", "form"),
    [
        ("acknowledge", {}),
        ("assign", {"owner": "0"}),
        ("snooze", {"until": "1h", "reason": "Known"}),
        ("notes", {"text": "Seen"}),
        ("notes", {"text": ""}),
    ],
)
def test_a_form_leads_back_to_the_lists_filters_and_its_panel(
    operator: Client, incident: Incident, verb: str, form: dict[str, str]
) -> None:
    here = f"{LIST}?severity=warning&state=all&panel={incident.pk}"
    page = operator.get(here).content.decode()
    assert page.count(f'name="next" value="{escape(here)}"') >= 4
    told = operator.post(f"{LIST}{incident.pk}/{verb}/", {**form, "next": here})
    assert told["Location"] == here
    elsewhere = {**form, "next": "https://elsewhere.example/"}
    assert operator.post(f"{LIST}{incident.pk}/{verb}/", elsewhere)["Location"] == LIST


def test_closing_the_panel_keeps_the_filters(operator: Client, incident: Incident) -> None:
    page = operator.get(LIST, {"severity": "warning", "panel": incident.pk}).content.decode()
    assert 'href="?severity=warning" data-dock-close' in page
