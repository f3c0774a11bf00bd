"""Tags and notes of a managed object: the same code for pools, gates, desks, queues, groups."""

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from numbers.models import Pool
from poolsite import access
from poolsite.access import principal_of_user
from poolsite.access.models import AuditEntry
from poolsite.console import managed, palette
from poolsite.operations import tags_and_notes
from poolsite.operations.models import Note, Tag
from queueing.admission.models import Gate
from queueing.dispatch.models import Group
from queueing.line.models import Desk, Queue
from tests.access.world import World, make_world


@pytest.fixture
def world(db) -> World:
    return make_world()


@pytest.fixture
def pool(world: World) -> Pool:
    return Pool.objects.create(slug="own-pool", name="Retail East", account=world.own)


@pytest.fixture
def client(world: World) -> Client:
    return world.client("operate")


def operator(world: World) -> access.Principal:
    return principal_of_user(world.users["operate"])


def test_tags_are_cleaned_sorted_and_written_once(world, pool) -> None:
    given = ["spare ", " east  coast", "SPARE", ""]
    assert tags_and_notes.set_tags(pool, given, actor=operator(world)) == ["east coast", "spare"]
    assert tags_and_notes.set_tags(pool, ["spare", "east coast"], actor=operator(world))
    assert tags_and_notes.tags_of(pool) == ["east coast", "spare"]
    entry = AuditEntry.objects.get(action="operations.tags_set")
    assert (entry.thing_kind, entry.thing_id) == ("pool", "own-pool")
    assert entry.before == {"tags": []}
    assert entry.after == {"tags": ["east coast", "spare"]}


def test_a_changed_list_takes_tags_away_and_keeps_the_others(world, pool) -> None:
    tags_and_notes.set_tags(pool, ["a", "b"], actor=operator(world))
    kept = Tag.objects.get(tag="b").pk
    tags_and_notes.set_tags(pool, ["b", "c"], actor=operator(world))
    assert tags_and_notes.tags_of(pool) == ["b", "c"]
    assert Tag.objects.get(tag="b").pk == kept


@pytest.mark.parametrize("words", [["x" * 41], [str(n) for n in range(21)]])
def test_too_long_and_too_many_tags_are_refused_and_change_nothing(world, pool, words) -> None:
    tags_and_notes.set_tags(pool, ["a"], actor=operator(world))
    with pytest.raises(ValidationError):
        tags_and_notes.set_tags(pool, words, actor=operator(world))
    assert tags_and_notes.tags_of(pool) == ["a"]


def test_a_note_keeps_who_wrote_it_and_its_text_when_it_is_removed(world, pool) -> None:
    actor = operator(world)
    note = tags_and_notes.add_note(pool, " Call the carrier first.\r\nThen us. ", actor=actor)
    assert (note.text, note.author) == ("Call the carrier first.\nThen us.", "operate")
    tags_and_notes.remove_note(note, pool, actor=actor)
    assert tags_and_notes.notes_of(pool) == []
    removed = AuditEntry.objects.get(action="operations.note_remove")
    assert removed.before == {"note": "Call the carrier first.\nThen us.", "author": "operate"}


@pytest.mark.parametrize("text", ["", "  \n ", "x" * 2_001])
def test_a_note_without_text_and_one_too_long_are_refused(world, pool, text: str) -> None:
    with pytest.raises(ValidationError):
        tags_and_notes.add_note(pool, text, actor=operator(world))
    assert not Note.objects.exists()


def test_the_101st_note_is_refused(world, pool) -> None:
    for n in range(tags_and_notes.MOST_NOTES):
        Note.objects.create(kind="pool", thing=pool.slug, account=world.own, text=str(n))
    with pytest.raises(ValidationError):
        tags_and_notes.add_note(pool, "one more", actor=operator(world))


def test_who_may_not_change_the_thing_changes_nothing_beside_it(world, pool) -> None:
    owner = principal_of_user(world.users["owner"])
    with pytest.raises(access.Forbidden):
        tags_and_notes.set_tags(pool, ["mine"], actor=owner)
    foreign = principal_of_user(world.users["foreign"])
    with pytest.raises(access.Hidden):
        tags_and_notes.add_note(pool, "mine", actor=foreign)
    assert not Tag.objects.exists()
    assert not Note.objects.exists()


def test_the_search_finds_by_tag_what_the_reader_may_see(world, pool) -> None:
    theirs = Pool.objects.create(slug="their-pool", name="Theirs", account=world.other)
    for each in (pool, theirs):
        tags_and_notes.set_tags(each, ["Spare"], actor=operator(world))

    def names(reader: str) -> list[str]:
        found = palette.things(principal_of_user(world.users[reader]), "spa")
        return sorted(each.name for each in found if each.detail == "tag Spare")

    assert names("operate") == ["Retail East", "Theirs"]
    assert names("owner") == ["Retail East"]
    assert names("foreign") == ["Theirs"]
    assert names("agent") == []


def test_notes_of_an_account_are_not_for_its_people(world, client: Client) -> None:
    client.post("/things/account/own/notes/", {"text": "Pays late."})
    assert "Pays late." in client.get("/accounts/own/people/").content.decode()
    page = world.client("owner").get("/accounts/own/people/").content.decode()
    assert "Pays late." not in page
    assert "Tags and notes" not in page


def test_the_pages_form_saves_tags_and_leads_back(pool, client: Client) -> None:
    data = {"tags": "east， spare,east", "back": "/pools/own-pool/"}
    answer = client.post("/things/pool/own-pool/tags/", data)
    assert answer["Location"] == "/pools/own-pool/#tags-and-notes"
    assert tags_and_notes.tags_of(pool) == ["east", "spare"]
    away = client.post("/things/pool/own-pool/tags/", {"tags": "", "back": "//evil.example/"})
    assert away["Location"] == "/pools/own-pool/#tags-and-notes"
    assert tags_and_notes.tags_of(pool) == []


def test_a_note_is_shown_as_text_and_removed_once(pool, client: Client) -> None:
    client.post("/things/pool/own-pool/notes/", {"text": "<b>bold</b>"})
    page = client.get("/pools/own-pool/").content.decode()
    assert "&lt;b&gt;bold&lt;/b&gt;" in page
    assert "<b>bold</b>" not in page
    note = Note.objects.get()
    address = f"/things/pool/own-pool/notes/{note.pk}/remove/"
    assert client.post(address).status_code == 302
    assert client.post(address).status_code == 404


def test_a_note_is_removed_by_its_own_things_address_alone(world, pool, client: Client) -> None:
    Pool.objects.create(slug="other-pool", name="Other", account=world.own)
    note = Note.objects.create(kind="pool", thing="own-pool", account=world.own, text="One")
    assert client.post(f"/things/pool/other-pool/notes/{note.pk}/remove/").status_code == 404
    assert client.post(f"/things/gate/own-pool/notes/{note.pk}/remove/").status_code == 404
    assert Note.objects.filter(pk=note.pk).exists()


def _things(world: World) -> list[tuple[str, object, str]]:
    """Return an object of each kind, with its list's path. A queue has no list."""
    desk = Desk.objects.create(slug="own-desk", name="Own desk", account=world.own)
    return [
        ("pool", Pool.objects.create(slug="p", name="P", account=world.own), "/pools/"),
        ("gate", Gate.objects.create(slug="g", name="G", key="g", account=world.own), "/gates/"),
        ("group", Group.objects.create(slug="r", name="R", account=world.own), "/groups/"),
        ("desk", desk, "/desks/"),
        ("queue", Queue.objects.create(desk=desk, slug="q", name="Q"), ""),
        ("account", world.own, ""),
    ]


def test_every_managed_kind_shows_takes_and_is_listed_by_them(world, client: Client) -> None:
    seen = set()
    for name, thing, listed in _things(world):
        seen.add(name)
        tags_and_notes.set_tags(thing, ["spare"], actor=operator(world))
        kind = managed.kind_of(thing)
        assert kind.name == name
        page = client.get(kind.url(thing)).content.decode()
        assert f'action="/things/{name}/{thing.slug}/tags/"' in page
        if listed:
            row = f"{listed.strip('/').removesuffix('s')}"
            with_it = client.get(f"{listed}?tag=spare").content.decode()
            assert 'href="?tag=spare"' in with_it, row
            without = client.get(f"{listed}?tag=other").content.decode()
            assert 'class="chip chip--line tag"' not in without, row
    assert seen == set(managed.KINDS)
