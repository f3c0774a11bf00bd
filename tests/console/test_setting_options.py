"""Settings of an aggregate as command options: every kind of field, including choices."""

from argparse import ArgumentParser

import pytest
from django.core.management.base import CommandError

from numbers.models import Number, Pool
from numbers.services.pools import SETTINGS as POOL
from poolsite.console.setting_options import (
    add_settings,
    changes_given,
    in_words,
    settings_given,
    told_changes,
)
from queueing.admission.models import Gate
from queueing.admission.services.gates import SETTINGS as GATE
from queueing.dispatch.models import Group
from queueing.dispatch.services.groups import SETTINGS as GROUP


def given(model, names, *words: str) -> dict[str, object]:
    parser = ArgumentParser()
    add_settings(parser, model, names)
    return settings_given(vars(parser.parse_args(words)), names)


def test_what_is_not_named_is_not_given() -> None:
    for model, names in ((Pool, POOL), (Gate, GATE), (Group, GROUP)):
        assert given(model, names) == {}


def test_each_kind_of_field_is_read_as_what_it_is() -> None:
    words = ("--name", "East", "--daily-cap", "3", "--no-near", "--blocking-alarm-percent", "1.5")
    assert given(Pool, POOL, *words) == {
        "name": "East",
        "daily_cap": 3,
        "near": False,
        "blocking_alarm_percent": 1.5,
    }


def test_a_choice_must_be_one_of_the_field_s(capsys) -> None:
    assert given(Group, GROUP, "--sharing", "turn") == {"sharing": "turn"}
    with pytest.raises(SystemExit):
        given(Group, GROUP, "--sharing", "best")
    assert "invalid choice: 'best' (choose from 'least'" in capsys.readouterr().err


def test_a_relation_is_refused_where_the_options_are_made() -> None:
    with pytest.raises(TypeError, match="pool: a ForeignKey cannot be given"):
        add_settings(ArgumentParser(), Number, ["pool"])


def test_a_verb_that_changes_needs_a_setting() -> None:
    with pytest.raises(CommandError, match="at least one setting"):
        changes_given({"slug": "east"}, POOL)


def test_what_changed_is_told_from_and_to() -> None:
    before = {"near": False, "name": "", "daily_cap": 3}
    after = {"near": True, "name": "East", "daily_cap": 3}
    assert told_changes(before, after) == ["near: no → yes", "name: (empty) → East"]
    assert in_words(0) == "0"
