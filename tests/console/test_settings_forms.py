"""Settings pages: sections, errors on top, and values that someone else changed in the meantime."""

from html import unescape
from typing import Any

import pytest
from django import forms
from django.template import engines
from django.template.loader import render_to_string

from numbers.forms import PoolSettingsForm
from numbers.health_forms import HealthRuleForm
from numbers.models import Pool
from poolsite.console.durations import DurationField, unit_of
from poolsite.console.settings_forms import SettingsMixin
from queueing.admission.forms import GateSettingsForm
from queueing.dispatch.forms import GroupSettingsForm
from queueing.line.forms.desks import DeskSettingsForm
from queueing.line.forms.queues import QueueForm
from queueing.line.models import Desk

FORMS = [PoolSettingsForm, HealthRuleForm, GateSettingsForm, GroupSettingsForm, DeskSettingsForm]


class Two(forms.Form):
    """A form with two fields."""

    name = forms.CharField(label="Name")
    size = forms.IntegerField(label="Size", help_text="In rows.")


def opened(form: SettingsMixin) -> dict[str, Any]:
    """Return what the page submits if the user changed nothing."""
    form.groups()
    data = {}
    for bound in form:
        if bound.name in form.setting_names:
            value = bound.value()
            data[bound.html_initial_name] = "" if value is None else str(value)
            if value is not None and value is not False:
                data[bound.html_name] = str(value)
    return data


@pytest.mark.parametrize("form_class", FORMS)
def test_every_setting_stands_in_one_section_and_lengths_are_durations(form_class: Any) -> None:
    form = form_class(instance=form_class._meta.model())
    shown = [row["field"].name for group in form.groups() for row in group["rows"]]
    assert sorted(shown) == sorted(set(form.fields) - {"reason"})
    for name, field in form.fields.items():
        assert isinstance(field, DurationField) == (unit_of(name) is not None), name
        assert "(seconds)" not in str(field.label)
    assert {name for pair in form.depends.items() for name in (pair[0], pair[1][0])} <= set(shown)


def test_a_new_queue_has_every_field_of_its_form() -> None:
    form = QueueForm(desk=Desk(pk=1))
    shown = [row["field"].name for group in form.groups() for row in group["rows"]]
    assert sorted(shown) == sorted(form.fields)
    assert shown[:2] == ["name", "slug"]


@pytest.mark.django_db
def test_only_what_the_person_changed_is_changed() -> None:
    pool = Pool.objects.create(slug="east", name="East", description="one\ntwo")
    page = opened(PoolSettingsForm(instance=pool))
    page = {name: value.replace("\n", "\r\n") for name, value in page.items()}
    Pool.objects.update(cooldown_seconds=60, near=True, description="new")  # from another window
    form = PoolSettingsForm({**page, "lease_seconds": "2 h"}, instance=Pool.objects.get())
    assert form.is_valid(), form.errors
    assert form.changes() == {"lease_seconds": 7_200}


@pytest.mark.django_db
def test_what_both_changed_is_refused_once_and_the_same_change_is_none() -> None:
    pool = Pool.objects.create(slug="east", name="East", home_country="CN")
    page = opened(PoolSettingsForm(instance=pool))
    Pool.objects.update(cooldown_seconds=60, near=True, home_country="DE", daily_cap=9)
    mine = {**page, "cooldown_seconds": "90 s", "home_country": "FR", "daily_cap": "9"}
    form = PoolSettingsForm(mine, instance=Pool.objects.get())
    assert list(form.errors) == ["cooldown_seconds", "home_country"]
    assert "“60 s”" in form.errors["cooldown_seconds"][0]
    assert [group["faults"] for group in form.groups()][:4] == [0, 1, 0, 1]
    hidden = {name: form.data[name] for name in form.data if name.startswith("initial-")}
    again = PoolSettingsForm({**mine, **hidden}, instance=Pool.objects.get())
    assert again.is_valid(), again.errors
    assert again.changes() == {"cooldown_seconds": 90, "home_country": "FR"}


def test_errors_are_listed_on_top_and_lead_to_their_fields() -> None:
    template = engines["django"].from_string(
        "{% include 'components/form_errors.html' %}"
        "{% for field in form %}{% include 'components/field.html' %}{% endfor %}"
    )
    form = Two({"name": "", "size": "many"})
    page = unescape(template.render({"form": form}))
    assert "2 fields need a change" in page
    assert '<a href="#id_size">Size: Enter a whole number.</a>' in page
    assert 'aria-describedby="id_size_helptext id_size_error"' in page
    assert 'aria-invalid="true"' in page
    assert 'id="id_size_error"' in page
    assert "form-errors" not in template.render({"form": Two()})
    assert "form-errors" not in template.render({"form": Two({"name": "a", "size": "1"})})


def test_the_folded_section_opens_itself_for_an_error() -> None:
    pool = Pool(slug="east", name="East")
    folded = PoolSettingsForm(instance=pool)
    page = render_to_string("components/settings.html", {"groups": folded.groups()})
    assert "<details" in page
    assert " open>" not in page
    form = PoolSettingsForm({"short_call_seconds": "5"}, instance=pool)
    assert not form.is_valid()
    page = render_to_string("components/settings.html", {"groups": form.groups()})
    assert " open>" in page
