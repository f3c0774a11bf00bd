"""The chat on a tenant's own site: its settings, its script, the only page that may be framed."""

import gzip
import json
import re
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from poolsite.access.models import AuditEntry
from queueing.line.models import Widget
from queueing.line.origins import check_colour, contrast_with_white, read_origin
from queueing.line.services.widgets import widget_configure
from tests.access.world import World, make_world
from tests.line.line_world import LineWorld, make_line

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
MOST_BYTES = 30_000  # the most that a page loads before the chat is opened
SHOP = "https://shop.example"


@pytest.fixture
def world() -> World:
    return make_world()


@pytest.fixture
def line() -> LineWorld:
    return make_line()


def policy_of(answer: Any) -> dict[str, list[str]]:
    rules = (part.split() for part in answer["Content-Security-Policy"].split(";"))
    return {name: sources for name, *sources in rules}


def config_of(answer: Any) -> dict[str, Any]:
    found = re.search(r"const config = (\{.*\});\n", answer.content.decode())
    assert found is not None
    config: dict[str, Any] = json.loads(found[1])
    return config


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (SHOP, SHOP),
        (" HTTPS://Shop.Example:443/ ", SHOP),
        ("https://shop.example:8443", "https://shop.example:8443"),
        ("https://bücher.example:8443", "https://xn--bcher-kva.example:8443"),
        ("http://localhost:3000", "http://localhost:3000"),
        ("http://127.0.0.1", "http://127.0.0.1"),
        ("http://[::1]:3000", "http://[::1]:3000"),
    ],
)
def test_an_origin_is_read_as_browsers_write_it(written: str, read: str) -> None:
    assert read_origin(written) == read


@pytest.mark.parametrize(
    "written",
    [
        *("", "shop.example", "*", "https://*.example", "https://", "'self'", "null", "data:"),
        *(
            "http://shop.example",
            "https://shop.example/path",
            "https://shop.example?a",
            "https://a b",
        ),
        *("https://u@shop.example", "https://shop.example;script-src *", "ftp://shop.example"),
        *("https://shop.example:99999", "https://shop.example\n*", "https://" + "a" * 300),
        *("https://shop.example,https://x.example", "https://[::1", "https://-a.example"),
    ],
)
def test_what_is_no_origin_is_refused(written: str) -> None:
    with pytest.raises(ValidationError):
        read_origin(written)


def test_white_text_must_be_readable_on_the_colour() -> None:
    assert round(contrast_with_white("#767676"), 2) == 4.54
    check_colour("#767676")
    for bad in ("#777777", "#ffffff", "#ffcc00", "red", "#FFF", "#12345g", "#9810fa\n"):
        with pytest.raises(ValidationError):
            check_colour(bad)


def test_only_the_page_of_the_chat_may_be_framed_and_only_by_the_desks_sites(
    world: World, line: LineWorld
) -> None:
    page = f"/q/{line.queue.slug}/"
    framed = Client().get(f"{page}?widget")
    assert policy_of(framed)["frame-ancestors"] == ["'self'"]  # the chat is not set up
    widget_configure(actor="test", desk=line.desk, origins=[SHOP, "http://localhost:3000"])
    framed = Client().get(f"{page}?widget")
    assert policy_of(framed)["frame-ancestors"] == ["'self'", SHOP, "http://localhost:3000"]
    assert not framed.has_header("X-Frame-Options")
    assert policy_of(framed)["script-src"] == ["'self'"]  # the rest of the policy is unchanged
    assert not framed.cookies
    others = [Client().get(page), Client().get(f"/widget/{line.queue.slug}.js")]
    others += [
        world.client("operate").get(f"/desks/{line.desk.slug}/{part}?widget")
        for part in ("", "widget/")
    ]
    others += [Client().get("/login/?widget"), Client().get("/q/nobody/?widget")]
    for answer in others:
        assert policy_of(answer)["frame-ancestors"] == ["'none'"], answer.request
        assert answer["X-Frame-Options"] == "DENY", answer.request


def test_the_script_is_small_kept_for_a_while_and_anew_when_a_setting_changes(
    line: LineWorld,
) -> None:
    address = f"/widget/{line.queue.slug}.js"
    first = Client().get(address, headers={"accept-encoding": "gzip"})
    assert first["Content-Encoding"] == "gzip"
    assert b"poolsite-widget" in gzip.decompress(first.content)
    assert len(first.content) < MOST_BYTES
    assert first["Cache-Control"] == "public, max-age=300"
    assert first["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert first["X-Content-Type-Options"] == "nosniff"
    assert not first.cookies
    again = Client().get(address, headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    widget_configure(actor="test", desk=line.desk, colour="#14553a", side="left", origins=[SHOP])
    changed = Client().get(address, headers={"if-none-match": first["ETag"]})
    config = config_of(changed)
    assert (config["queue"], config["colour"], config["side"]) == (
        line.queue.slug,
        "#14553a",
        "left",
    )
    assert set(config["words"]) == {"en", "zh-hans"}
    assert SHOP not in changed.content.decode()  # a desk's other sites are not disclosed
    assert Client().get("/widget/nobody.js").status_code == 404


def test_an_operator_sets_the_chat_up_and_the_history_says_so(
    world: World, line: LineWorld
) -> None:
    owner = world.client("operate")
    path = f"/desks/{line.desk.slug}/widget/"
    page = owner.get(path).content.decode()
    assert "No sites are allowed yet" in page
    assert f"/widget/{line.queue.slug}.js" in page
    given = {"colour": "#14553a", "side": "left", "greeting": "Hello <b>you</b>"}
    bad = owner.post(path, {**given, "origins": "https://ok.example\nhttp://shop.example"})
    assert bad.status_code == 422
    assert "must use https" in bad.content.decode()
    pale = owner.post(path, {**given, "origins": "", "colour": "#ffcc00"})
    assert pale.status_code == 422
    assert "Choose a darker color" in pale.content.decode()
    assert (
        owner.post(
            path, {**given, "origins": "\n".join(f"https://s{n}.example" for n in range(21))}
        ).status_code
        == 422
    )
    assert owner.post(path, {**given, "origins": "", "greeting": "x" * 301}).status_code == 422
    assert not Widget.objects.exists()  # nothing was stored
    saved = owner.post(path, {**given, "origins": f"HTTPS://Shop.example/\n{SHOP}\n"})
    assert saved["Location"] == path
    widget = Widget.objects.get()
    assert (widget.origins, widget.colour, widget.side) == ([SHOP], "#14553a", "left")
    entry = AuditEntry.objects.get(action="line.widget_configure")
    assert entry.after["origins"] == [SHOP]
    owner.post(path, {**given, "origins": SHOP})
    assert AuditEntry.objects.filter(action="line.widget_configure").count() == 1  # no change
    assert "chat widget" in world.client("operate").get("/history/").content.decode()
    greeted = Client().get(f"/q/{line.queue.slug}/?widget").content.decode()
    assert "Hello &lt;b&gt;you&lt;/b&gt;" in greeted


def test_settings_that_the_form_would_refuse_are_refused_by_the_service(line: LineWorld) -> None:
    for bad in (
        {"origins": ["https://*"]},
        {"origins": [f"{SHOP}/"]},
        {"origins": SHOP},
        {"colour": "#ffffff"},
        {"side": "top"},
        {"frames": True},
    ):
        with pytest.raises(ValidationError):
            widget_configure(actor="test", desk=line.desk, **bad)
    assert not Widget.objects.exists()
