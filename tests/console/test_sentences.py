"""The audit log as sentences: one for every action that the code writes, in both languages."""

import re
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone, translation

from billing.models import Wallet
from billing.services.wallets import wallet_configure, wallet_open
from numbers.services import pool_configure, pool_create
from poolsite import access
from poolsite.access.models import AuditEntry, User
from poolsite.access.services import grant_set, membership_set
from poolsite.console import sentences
from poolsite.console.sentences import EntryText, Names, Reading, groups, registered, values
from queueing.admission.services import gate_configure, gate_create
from queueing.line.services.desks import desk_create, queue_configure, queue_create
from tests.access.world import World, make_world
from tests.house.actions import written_actions

PLACE = re.compile(r"%\((\w+)\)s")
LANGUAGES = ("en", "zh-hans")


@pytest.fixture
def world(db: None) -> World:
    made = make_world()
    named(made, "operate", "Lin", "Mei")
    return made


def named(world: World, reader: str, first: str, last: str) -> None:
    user = world.users[reader]
    User.objects.filter(pk=user.pk).update(first_name=first, last_name=last)


def entry(action: str, thing: object | None = None, **given: Any) -> AuditEntry:
    with transaction.atomic():
        return access.audit(actor=given.pop("actor", "test"), action=action, thing=thing, **given)


def told(made: AuditEntry, language: str = "en", zone: str = "UTC", url: str = "") -> EntryText:
    with translation.override(language), timezone.override(zone):
        return sentences.said(Reading(made, Names(), url))


def latest() -> AuditEntry:
    return AuditEntry.objects.order_by("-pk")[0]


# -- every action has its sentence ---------------------------------------------------------------


@pytest.mark.processes  # git lists the files
def test_every_action_that_the_code_writes_has_a_sentence_and_no_sentence_is_left_over() -> None:
    actions, unclear = written_actions()
    assert unclear == [], "say the action as a text, so that its sentence can be asked for"
    known = {action for titles in groups().values() for action, _title in titles}
    assert actions - known == set(), "register a sentence in the app's sentences module"
    assert known - actions == set(), "nobody writes these actions"


@pytest.mark.processes  # git lists the files
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_reads_well_whatever_an_entry_keeps(language: str) -> None:
    odd: list[dict[str, Any] | None] = [
        None,
        {},
        dict.fromkeys(("amount", "user", "roles", "until", "hours", "day", "numbers"), "?"),
        {key: [1] for key in ("amount", "user", "roles", "until", "hours", "day", "numbers")},
    ]
    names = Names()
    names._known = {"": "", "?": "?", "sweep": "sweep", "Thing": "Thing"}  # no names from SQL
    for action in sorted(written_actions()[0]):
        for kept in odd:
            made = AuditEntry(
                action=action, actor_kind="system", actor_name="sweep", thing_label="Thing",
                before=kept, after=kept,
            )  # fmt: skip
            with translation.override(language):
                said = sentences.said(Reading(made, names))
            assert said.text, action
            assert "%(" not in said.text, action
            assert action not in said.text
            assert said.group
            assert not said.text.endswith((".", "。"))


def test_chinese_sentences_use_full_width_marks_and_no_stray_spaces() -> None:
    wrong = []
    with translation.override("zh-hans"):
        for titles in groups().values():
            for action, title in titles:
                sentence = registered(action)
                assert sentence is not None
                text = str(sentence.text)
                bare = PLACE.sub("x", text)
                if re.search(r"[,;:?!()](?!\d)", bare) or re.search(
                    r"[一-鿿] [一-鿿]|[，：；“”] | [，：；“”]", bare
                ):
                    wrong.append((action, text))
                latin = re.search(r"[a-z]{4,}", re.sub("Redis|Webhook", "", title))
                assert not latin, (action, title)
    assert wrong == []


def test_an_action_without_a_sentence_reads_changed_and_never_a_code(world: World) -> None:
    made = entry("test.do_something", world.own)
    assert told(made).text == "The system changed Own"
    assert told(made, "zh-hans").text == "系统修改了“Own”"


# -- values --------------------------------------------------------------------------------------


def test_money_is_said_in_the_accounts_currency(world: World) -> None:
    wallet = wallet_open(world.own, actor="test")
    made = entry(
        "billing.recharge_start", wallet, after={"amount": 20_000_000, "provider": "alipay"},
        actor=world.users["operate"],
    )  # fmt: skip
    assert told(made).text == "Lin Mei started a top-up of ¥2,000.00 for Own"
    assert told(made, "zh-hans").text == "Lin Mei为“Own”发起了¥2,000.00的充值"
    world.own.currency = "USD"
    world.own.save()
    made = AuditEntry.objects.get(pk=made.pk)
    assert "$2,000.00" in told(made).text


def test_a_change_of_one_setting_says_the_field_as_its_form_does(world: World) -> None:
    wallet = wallet_open(world.own, actor="test")
    wallet_configure(wallet, actor="test", daily_limit=5_000_000)
    label = sentences.SettingsFields(Wallet, _limits_form()).label("daily_limit")
    assert label == str(_limits_form().base_fields["daily_limit"].label)
    assert told(latest()).text == f"The system changed “{label}” of Own from ¥0.00 to ¥500.00"


def _limits_form() -> Any:
    from billing.forms_limits import LimitsForm

    return LimitsForm


def test_several_settings_are_lines_of_old_and_new(world: World) -> None:
    actor = access.principal_of_user(world.users["operate"])
    gate = gate_create(actor=actor, slug="north", name="Northgate", account=world.own, cap=60)
    gate_configure(actor=actor, gate=gate, cap=80)
    said = told(latest())
    assert said.text.startswith("Lin Mei changed ")
    assert said.text.endswith(" of Northgate from 60 to 80")
    gate_configure(actor=actor, gate=gate, permit_seconds=120, fair=not gate.fair)
    said = told(latest())
    assert said.text == "Lin Mei changed 2 settings of Northgate"
    assert not said.told
    lines = {(line.before, line.after) for line in said.changes}
    assert lines == {("5 min", "2 min"), (("yes", "no") if gate.fair else ("no", "yes"))}
    assert told(latest(), "zh-hans").text == "Lin Mei修改了“Northgate”的2项设置"


def test_durations_are_said_in_the_largest_unit_that_is_exact() -> None:
    reading = Reading(AuditEntry())
    said = [values.duration(seconds, reading) for seconds in (0, 90, 300, 5_400, 14_400, 86_400)]
    assert said == ["0 s", "90 s", "5 min", "1 h 30 min", "4 h", "1 d"]


def test_moments_are_said_in_the_readers_zone(world: World) -> None:
    made = entry("billing.tariff_end", world.own, after={"valid_until": "2024-11-23T16:00:00Z"})
    assert told(made, zone="Asia/Shanghai").text.endswith("on 24 Nov 2024, 00:00")
    assert told(made, zone="UTC").text.endswith("on 23 Nov 2024, 16:00")
    assert "2024年11月24日 00:00" in told(made, "zh-hans", "Asia/Shanghai").text


def test_roles_and_grants_are_said_by_name_of_the_person(world: World) -> None:
    named(world, "payer", "Chen", "Hao")
    actor = world.users["operate"]
    membership_set(user=world.users["payer"], account=world.own, roles=["agent"], actor=actor)
    said = told(latest()).text
    assert said == "Lin Mei changed the roles of Chen Hao in Own from Payer to Agent"
    grant_set(user=world.users["payer"], name="operate", actor=actor)
    assert told(latest()).text == "Lin Mei granted Chen Hao Operate for the whole platform"
    membership_set(user=world.users["payer"], account=world.own, roles=[], actor=actor)
    assert told(latest()).text == "Lin Mei removed Chen Hao from Own"


def test_many_numbers_are_counted_and_few_are_named(world: World) -> None:
    few = entry("numbers.number_add", world.own, after={"numbers": ["100", "101"]})
    assert told(few).text == "The system added 100, 101 to Own"
    many = entry("numbers.number_add", world.own, after={"count": 1200, "first": "1", "last": "2"})
    assert told(many).text == "The system added 1,200 numbers to Own"
    assert told(many, "zh-hans").text == "系统将1,200个号码加入了“Own”"


def test_a_visitors_number_is_masked(world: World) -> None:
    made = entry("line.visitor_block", world.own, after={"key": "+8613812345678", "until": None})
    said = told(made)
    assert "+86***78" in said.text
    assert "13812345678" not in said.text + said.html


def test_hours_are_said_as_the_form_writes_them(world: World) -> None:
    actor = access.principal_of_user(world.users["operate"])
    desk = desk_create(actor=actor, slug="front", name="Front", account=world.own)
    queue = queue_create(actor=actor, desk=desk, slug="billing", name="Billing")
    queue_configure(actor=actor, queue=queue, hours={"0": [["09:00", "18:00"]]})
    assert "Mon 09:00-18:00" in told(latest()).text
    assert "{" not in told(latest()).text


def test_what_people_typed_is_escaped_and_the_object_is_a_link(world: World) -> None:
    actor = access.principal_of_user(world.users["operate"])
    pool = pool_create(actor=actor, slug="east", name="<b>East</b> %(x)s", account=world.own)
    pool_configure(actor=actor, pool=pool, description="<script>")
    said = told(latest(), url="/pools/east/")
    assert "<script>" not in said.html
    assert "&lt;script&gt;" in said.html
    assert '<a href="/pools/east/">&lt;b&gt;East&lt;/b&gt; %(x)s</a>' in said.html
    assert "<b>Lin Mei</b>" in said.html


def test_a_token_and_the_system_are_named_as_such(world: World) -> None:
    made = AuditEntry(action="numbers.pool_pause", actor_kind="token", actor_name="crm-sync")
    made.thing_label = "east"
    assert told(made).text == "API token crm-sync paused the pool east"
