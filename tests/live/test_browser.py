"""static/live.js and modules of static/js/shared in a real Chromium with a real server process."""

import random
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
import redis.asyncio
from playwright.async_api import Browser, Page, Route

from numbers.topics.packing import pack_tiles
from numbers.topics.tiles import TilesTopic
from poolsite.live import RowsTopic, frames
from poolsite.runtime.redis_server import RedisServer
from tests.live.sample_topics import WRITE
from tests.live.servers import ROOT, WebServer
from tests.support.waiting import patient

Redis = redis.asyncio.Redis

pytest_plugins = ["tests.browser.plugin"]
pytestmark = [
    pytest.mark.browser,
    pytest.mark.needs("chromium"),
    pytest.mark.asyncio(loop_scope="session"),
]

# What a page does: keep the state of a topic, by the topic's own rule.
WATCH = """
async (address) => {
  const live = await import("/static/live.js");
  window.live = live;
  window.events = [];
  window.states = [];
  live.connection.addEventListener("state", () => {
    if (window.states.at(-1) !== live.connection.state) window.states.push(live.connection.state);
  });
  window.stop = live.subscribe(address, {
    snapshot(data) { window.data = data; window.events.push("snapshot"); },
    change(data) { window.data = { ...window.data, ...data }; window.events.push("change"); },
    refused(code) { window.events.push(code); },
  });
}
"""


@pytest_asyncio.fixture(loop_scope="session")
async def redis_client(clean_redis: RedisServer) -> AsyncIterator[Redis]:
    """The client of conftest.py, in the browser's event loop."""
    client = Redis.from_url(clean_redis.url, decode_responses=True)
    yield client
    await client.aclose()


@pytest_asyncio.fixture(loop_scope="session")
async def page(browser: Browser, web: WebServer) -> AsyncIterator[Page]:
    """An empty page of the site, with the operator's session."""
    context = await browser.new_context()
    name, _, value = web.site.people["operator"]["cookie"].partition("=")
    base = f"http://127.0.0.1:{web.port}"
    await context.add_cookies([{"name": name, "value": value, "url": base}])
    page = await context.new_page()
    page.set_default_timeout(1000 * patient(20))
    await page.goto(f"{base}/static/live.js")
    yield page
    await context.close()


async def write(client: Redis, tag: str, name: str, value: str) -> None:
    await client.eval(WRITE, 1, "{" + tag + "}", name, value)


async def until(page: Page, expression: str, argument: Any = None) -> None:
    """Wait until a JavaScript expression of `wanted` is true."""
    await page.wait_for_function(f"(wanted) => {expression}", arg=argument, polling=50)


async def test_a_page_follows_a_topic_and_stops(
    web: WebServer, page: Page, redis_client: Redis
) -> None:
    await write(redis_client, "page", "a", "1")
    await page.evaluate(WATCH, "test.log:page")
    await until(page, "window.data?.a === '1'")
    await write(redis_client, "page", "b", "2")
    await until(page, "window.data.b === '2'")
    assert await page.evaluate("window.events") == ["snapshot", "change"]
    assert await page.evaluate("live.connection.state") == "live"
    await page.evaluate("window.stop()")
    await until(page, "live.connection.state === 'idle'")
    await write(redis_client, "page", "b", "3")
    await page.evaluate(
        """() => { live.subscribe("test.log:page", { snapshot(data) { window.then = data; } }); }"""
    )
    await until(page, "window.then?.b === '3'")
    assert await page.evaluate("window.data.b") == "2"


async def test_a_restarted_server_is_shown_and_heals_without_a_new_page(
    web: WebServer, page: Page, redis_client: Redis
) -> None:
    """The server stops and starts again on the same port."""
    await write(redis_client, "restart", "a", "1")
    await page.evaluate(WATCH, "test.log:restart")
    await until(page, "window.data?.a === '1'")
    web.stop()
    try:
        await until(page, "live.connection.state === 'reconnecting'")
        await write(redis_client, "restart", "a", "2")
        assert await page.evaluate("window.data.a") == "1"
    finally:
        web.start()
    await until(page, "window.data.a === '2' && live.connection.state === 'live'")
    # What was missed arrived as a change: the page did not get a new snapshot.
    assert (await page.evaluate("window.events")).count("snapshot") == 1
    # A lost connection differs from a server that can't read: nothing on the page was muted.
    assert "stale" not in await page.evaluate("window.states")


async def test_a_page_that_goes_offline_says_so_and_comes_back(
    web: WebServer, page: Page, redis_client: Redis
) -> None:
    await write(redis_client, "offline", "a", "1")
    await page.evaluate(WATCH, "test.log:offline")
    await until(page, "window.data?.a === '1'")
    await page.context.set_offline(True)
    await until(page, "live.connection.state === 'offline'")
    await write(redis_client, "offline", "a", "2")
    await page.context.set_offline(False)
    await until(page, "window.data.a === '2' && live.connection.state === 'live'")


async def test_a_computer_that_slept_connects_again_at_once(
    web: WebServer, page: Page, redis_client: Redis
) -> None:
    """Its socket may be dead. The figures of before do not count as live until that is known."""
    await page.clock.install()
    await write(redis_client, "slept", "a", "1")
    await page.evaluate(WATCH, "test.log:slept")
    await until(page, "window.data?.a === '1' && live.connection.state === 'live'")
    await page.clock.fast_forward(8 * 3_600_000)
    await until(page, "window.states.at(-1) === 'reconnecting'")
    await write(redis_client, "slept", "a", "2")
    while await page.evaluate("window.data.a") != "2":
        await page.clock.run_for(1_000)


async def test_a_gap_leads_to_a_new_snapshot(
    web: WebServer, page: Page, redis_client: Redis
) -> None:
    """The page misses one frame: a socket that drops it simulates a faulty network."""
    await page.evaluate(
        """() => {
          const Real = WebSocket;
          window.WebSocket = class extends Real {
            set onmessage(hear) {
              this.addEventListener("message", (event) => {
                const frame = JSON.parse(event.data);
                const swallowed = frame.op === "change" && frame.data.lost;
                if (swallowed) window.swallowed = true;
                else hear(event);
              });
            }
          };
        }"""
    )
    await write(redis_client, "miss", "first", "yes")
    await page.evaluate(WATCH, "test.log:miss")
    await until(page, "window.events.length === 1")
    await write(redis_client, "miss", "lost", "yes")
    await until(page, "window.swallowed")
    assert await page.evaluate("window.data") == {"first": "yes"}
    await write(redis_client, "miss", "seen", "yes")
    await until(page, "window.data.seen === 'yes' && window.data.lost === 'yes'")
    assert (await page.evaluate("window.events")).count("snapshot") == 2


async def test_refusals_reach_the_page(web: WebServer, page: Page, redis_client: Redis) -> None:
    await page.evaluate(WATCH, "test.nothing:1")
    await until(page, "window.events[0] === 4404")
    assert await page.evaluate("live.connection.state") == "live"


async def test_a_signed_out_page_stops_trying(
    web: WebServer, page: Page, redis_client: Redis
) -> None:
    await page.clock.install()
    await page.context.clear_cookies()
    await page.evaluate(WATCH, "test.log:out")
    await until(page, "live.connection.state === 'signed-out'")
    await page.clock.run_for(60_000)  # longer than any pause between two attempts
    assert await page.evaluate("window.states") == ["connecting", "signed-out"]


async def test_two_watchers_of_one_topic_share_it_and_one_may_leave(
    web: WebServer, page: Page, redis_client: Redis
) -> None:
    await write(redis_client, "share", "a", "1")
    await page.evaluate(WATCH, "test.log:share")
    await until(page, "window.data?.a === '1'")
    await page.evaluate(
        """() => { window.stopSecond = live.subscribe("test.log:share", {
             snapshot(data) { window.second = data; },
             change(data) { window.second = { ...window.second, ...data }; } }); }"""
    )
    await until(page, "window.second?.a === '1'")
    await page.evaluate("window.stop()")
    await write(redis_client, "share", "a", "2")
    await until(page, "window.second.a === '2'")
    assert await page.evaluate("window.data.a") == "1"


async def test_a_handler_that_throws_is_reported_and_does_not_stop_the_others(
    web: WebServer, page: Page, redis_client: Redis
) -> None:
    await page.evaluate(
        """() => { window.errors = [];
             window.addEventListener("error", (event) => window.errors.push(event.message)); }"""
    )
    await write(redis_client, "throws", "a", "0")
    await page.evaluate(WATCH, "test.log:throws")
    await until(page, "window.events.length === 1")
    await page.evaluate(
        """() => live.subscribe("test.log:throws", {
             snapshot() {}, change() { throw new Error("a fault in a page"); } }) && 0"""
    )
    await until(page, "window.events.length === 2")
    await write(redis_client, "throws", "a", "1")
    await until(page, "window.data.a === '1'")
    await until(page, "window.errors.some((text) => text.includes('a fault in a page'))")


async def test_personal_messages_reach_the_page(
    web: WebServer, page: Page, redis_client: Redis
) -> None:
    await page.evaluate(
        """async () => {
          window.live = await import("/static/live.js");
          window.heard = [];
          window.stop = live.onPersonal("match", (data) => window.heard.push(data));
        }"""
    )
    await until(page, "live.connection.state === 'live'")
    user = web.site.people["operator"]["user"]
    await redis_client.publish(f"live:to:user:{user}", frames.personal("other", 1))
    await redis_client.publish(f"live:to:user:{user}", frames.personal("match", {"room": 7}))
    await until(page, "window.heard.length === 1 && window.heard[0].room === 7")


async def test_going_back_to_a_kept_page_connects_it_again(
    web: WebServer, page: Page, redis_client: Redis
) -> None:
    await write(redis_client, "kept", "a", "1")
    await page.evaluate(WATCH, "test.log:kept")
    await until(page, "window.data?.a === '1'")
    await page.evaluate("window.dispatchEvent(new PageTransitionEvent('pagehide'))")
    await write(redis_client, "kept", "a", "2")
    await page.evaluate(
        "window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))"
    )
    await until(page, "window.data.a === '2' && live.connection.state === 'live'")


async def test_the_table_rule_of_the_browser_is_that_of_the_server(
    web: WebServer, page: Page
) -> None:
    await page.evaluate("""async () => { window.live = await import("/static/live/rows.js"); }""")
    data = {"rows": {"a": {"v": 1}, "b": {"v": 2}}}
    change = {"set": {"b": {"v": 3}, "c": {"v": 4}}, "gone": ["a"]}
    there = await page.evaluate("([data, change]) => live.applyRows(data, change)", [data, change])
    assert there == RowsTopic.apply(data, change)


async def test_the_tiles_rule_of_the_browser_is_that_of_the_server(
    web: WebServer, page: Page
) -> None:
    await page.evaluate("""async () => { window.tiles = await import("/static/live/tiles.js"); }""")
    chance = random.Random(7)
    letters = "RrpoxCsLlOQ-?"
    data = {"layout": "x", "states": "".join(chance.choice(letters) for _ in range(10_000))}
    for count in (1, 50, 3_000, 10_000):
        set_ = {tile: chance.choice(letters) for tile in chance.sample(range(10_000), count)}
        change = {"set": pack_tiles(sorted(set_.items()))}
        there = await page.evaluate("([data, one]) => tiles.applyTiles(data, one)", [data, change])
        assert there == TilesTopic.apply(data, change)


async def test_the_module_is_small() -> None:
    assert (ROOT / "static" / "live.js").stat().st_size < 10_240


async def test_a_refused_topic_does_not_count_as_live(
    web: WebServer, page: Page, redis_client: Redis
) -> None:
    """A right that was lost or an object that is gone: the figures on the page stay old."""
    await page.evaluate(WATCH.replace("refused(code)", "unused(code)"), "test.nothing:1")
    await until(page, "live.connection.state === 'stale'")


async def test_a_page_that_cannot_draw_a_topic_does_not_count_as_live(
    web: WebServer, page: Page, redis_client: Redis
) -> None:
    """For example, because the server was upgraded and sends another form of the state."""
    await write(redis_client, "form", "a", "1")
    fails = "snapshot() { window.events.push('fails'); throw new Error('another form'); }"
    watch = WATCH.replace("snapshot(data) {", f"{fails}, unused(data) {{")
    await page.evaluate(watch, "test.log:form")
    await until(page, "window.events.length > 1")
    assert "live" not in (await page.evaluate("window.states"))[2:]
    assert await page.evaluate("live.connection.state") == "reconnecting"


async def body(page: Page, html: str) -> None:
    await page.evaluate("(html) => { document.body.innerHTML = html; }", html)


async def test_a_get_form_leaves_out_empty_fields_and_enables_only_those_again(
    web: WebServer, page: Page
) -> None:
    await body(
        page,
        """<form method="get" target="sink"><input name="q"><input name="kind" value="x">
        <select name="held" disabled><option value="">-</option></select><button>Go</button></form>
        <iframe name="sink"></iframe>""",
    )
    await page.evaluate(
        """async () => (await import("/static/js/shared/table.js")).startTables()"""
    )
    async with page.expect_request(lambda request: "kind=x" in request.url) as sent:
        await page.click("button")
    assert (await sent.value).url.endswith("?kind=x")
    await until(page, "!document.querySelector('[name=q]').disabled")
    assert await page.is_disabled("[name=held]")


async def test_a_cell_that_is_redrawn_keeps_the_focus_and_the_click(
    web: WebServer, page: Page
) -> None:
    await body(page, "<table data-rows><tbody></tbody></table>")
    await page.evaluate(
        """async () => {
          const { LiveTable } = await import("/static/js/shared/live_table.js");
          (await import("/static/js/shared/press.js")).startPresses();
          window.clicks = [];
          const button = (text, key) => {
            const made = document.createElement("button");
            made.textContent = text;
            made.onclick = () => window.clicks.push(`${key} ${text}`);
            return made;
          };
          const parts = (row, key) => ["", button("Drain", key), button("Block", key)];
          const table = new LiveTable("rows", [{ told: ({ state }) => state, parts }]);
          window.draw = (state) => table.draw([["a", { state }], ["b", { state }]]);
          window.draw("1");
        }"""
    )
    second = page.locator("tr:nth-child(2) button:nth-of-type(2)")
    await second.focus()
    await page.evaluate("window.draw('2')")
    assert await second.evaluate("(button) => button === document.activeElement")
    await second.hover()
    await page.mouse.down()
    await page.evaluate("window.draw('3')")
    await page.mouse.up()
    assert await page.evaluate("window.clicks") == ["b Block"]


REFRESHED = """<main data-refresh-topic="test.note:page"><p id="part" data-refresh>old</p></main>"""


async def refreshed(page: Page, answer: Any) -> None:
    """Let `answer` answer the page's requests for itself, and start refresh.js."""
    await page.route(lambda address: "/static/live.js" in address and "page=" in address, answer)
    await page.evaluate("history.replaceState(null, '', '?page=1')")
    await body(page, REFRESHED)
    await page.evaluate("""() => { import("/static/js/shared/refresh.js"); }""")


async def test_a_part_that_could_not_be_fetched_is_fetched_again(
    web: WebServer, page: Page
) -> None:
    answers = iter([503, 200])

    async def answer(route: Route) -> None:
        html = REFRESHED.replace("old", "new")
        await route.fulfill(status=next(answers), content_type="text/html", body=html)

    await page.clock.install()
    await refreshed(page, answer)
    while await page.text_content("#part") != "new":
        await page.clock.run_for(1_000)


async def test_an_answer_for_another_panel_is_not_shown(web: WebServer, page: Page) -> None:
    async def answer(route: Route) -> None:
        panel = route.request.url.rpartition("=")[2]
        if panel == "1":
            await page.evaluate("history.replaceState(null, '', '?page=2')")
            await page.evaluate("window.shown = []")
            await page.evaluate(
                """() => new MutationObserver(() => window.shown.push(part.textContent))
                     .observe(part, { childList: true })"""
            )
        html = REFRESHED.replace("old", f"panel {panel}")
        await route.fulfill(content_type="text/html", body=html)

    await refreshed(page, answer)
    await until(page, "part.textContent === 'panel 2'")
    assert await page.evaluate("window.shown") == ["panel 2"]
