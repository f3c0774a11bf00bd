"""What the pages of money show, and what their buttons do."""

import csv
import io
import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from billing import overview, rules_table
from billing import wallet as commands
from billing.models import AuditRun, FlaggedReport, JournalEntry, Wallet
from billing.money import UNITS
from billing.overview import balances_card, lasts_word, money_held
from billing.presentation import amount, exact, mode_word, rounded
from billing.search import find
from billing.selectors.wallets import PAGE_ROWS, SORTS, WalletQuery
from billing.services.auditing import audit_some
from poolsite import access, hotpath
from poolsite.access import first_page
from poolsite.runtime.redis_server import RedisServer
from tests.billing.pages.page_world import Customer, browser, customer, lived, operator

pytestmark = pytest.mark.django_db(transaction=True)

SPENDABLE = 150 * UNITS - 3_000 - 1_000 - 5_000  # in the books; m-fresh is not included yet


@pytest.fixture
def made(clean_redis: RedisServer) -> Customer:
    """A wallet with data for every page."""
    return lived()


@pytest.fixture
def boss(made: Customer, settings: Any) -> Client:
    """A browser of an operator with the grant `finance`. No second factor is required."""
    settings.SECOND_FACTOR_FOR_MONEY = False
    return browser(operator("boss", "finance"))


def send(client: Client, path: str, **data: Any) -> Any:
    return client.post(path, data, content_type="application/json")


def rows_of(answer: Any) -> list[dict[str, str]]:
    """Return the rows of a CSV answer."""
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


# -- the portal -----------------------------------------------------------------------------------


def test_the_portal_says_the_figures_to_the_unit_before_any_socket(made: Customer) -> None:
    text = browser(made.people["owner"]).get("/accounts/evergreen/").content.decode()
    assert 'data-money="spendable">¥148<span class="money__rest">.6000</span>' in text
    assert 'data-money="held">¥1.00<' in text


def test_the_portal_opens_while_redis_is_away(
    made: Customer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_self: Any, to_run: Any) -> Any:
        return [hotpath.Unavailable() for _ in to_run]

    monkeypatch.setattr(hotpath.HotPath, "run_batch", away)
    answer = browser(made.people["owner"]).get("/accounts/evergreen/")
    assert answer.status_code == 200
    assert "The live balance can't be read." in answer.content.decode()
    assert (
        '¥149<span class="money__rest">.1000</span>' in answer.content.decode()
    )  # what the books have


@pytest.mark.parametrize(("role", "pays"), [("owner", True), ("payer", True), ("sender", False)])
def test_who_may_pay_gets_the_form_to_top_up(made: Customer, role: str, pays: bool) -> None:
    text = browser(made.people[role]).get("/accounts/evergreen/").content.decode()
    assert ("data-top-up " in text or "data-top-up>" in text) is pays


def test_customers_begin_at_their_balance_and_operators_at_the_overview(made: Customer) -> None:
    assert first_page(access.principal_of_user(made.people["payer"])) == "/accounts/evergreen/"
    assert first_page(access.principal_of_user(operator())) == "/overview/"
    agent = access.principal_of_user(made.people["agent"])
    assert first_page(agent) != "/accounts/evergreen/"


def test_addresses_without_an_account_lead_to_the_readers_own(made: Customer) -> None:
    client = browser(made.people["owner"])
    for path, target in (
        ("/balance/", "/accounts/evergreen/"),
        ("/usage/", "/accounts/evergreen/usage/"),
        ("/messages/", "/accounts/evergreen/messages/"),
        ("/statements/", "/accounts/evergreen/statements/"),
        ("/prices/", "/accounts/evergreen/tariffs/"),
    ):
        assert client.get(path)["Location"] == target
    assert browser(operator()).get("/balance/")["Location"] == "/billing/accounts/"


# -- explaining -----------------------------------------------------------------------------------


def test_the_parts_of_a_figure_sum_to_it_and_the_rest_waits(made: Customer) -> None:
    context = browser(made.people["owner"]).get("/accounts/evergreen/explain/spendable/").context
    assert context["found"].total == SPENDABLE
    waiting, *rows = [row.part for row in context["rows"]]
    assert sum(part.amount for part in rows) + context["found"].opening == SPENDABLE
    assert rows[0].balance == SPENDABLE
    assert (context["pending"], context["live"]) == (-5_000, SPENDABLE - 5_000)
    assert (waiting.moved.operation_id, waiting.amount, waiting.entry) == ("m-fresh", -5_000, None)


@pytest.mark.parametrize(
    ("leg", "figure"), [("held", 5_000), ("receivable", 0), ("revenue", 4_000)]
)
def test_every_figure_is_explained(made: Customer, leg: str, figure: int) -> None:
    context = browser(made.people["owner"]).get(f"/accounts/evergreen/explain/{leg}/").context
    assert context["found"].total == figure
    parts = [row.part for row in context["rows"]]
    assert figure == sum(part.amount for part in parts if part.entry)


def test_what_was_spent_today_and_a_bar_of_the_chart_open_into_their_entries(
    made: Customer,
) -> None:
    client = browser(made.people["owner"])
    made.persist()
    portal = client.get("/accounts/evergreen/").context
    query = f"?kind=charges&from={portal['today']}&until={portal['today']}"
    charged = client.get(f"/accounts/evergreen/explain/revenue/{query}").context["found"]
    assert charged.total == portal["charged_today"] == 4_000
    spent = client.get(f"/accounts/evergreen/explain/spendable/{query}").context["found"]
    assert -spent.total == portal["figures"].spent_today
    data = client.get("/accounts/evergreen/usage/data/?range=7d").json()
    query = f"?from={data['days'][-1]}&until={data['untils'][-1]}"
    charged = client.get(f"/accounts/evergreen/explain/revenue/{query}").context["found"]
    assert charged.total == data["totals"][-1] == 4_000
    year = client.get("/accounts/evergreen/usage/data/?range=12m").json()
    assert all(until[8:] >= "28" for until in year["untils"])


@pytest.mark.parametrize(
    "address",
    [
        "explain/nonsense/",
        "explain/spendable/?after=1.2",
        "explain/spendable/?after=x.y.z",
        "message/?id=unknown",
        "message/",
    ],
)
def test_nonsense_is_not_found(made: Customer, address: str) -> None:
    assert browser(made.people["owner"]).get(f"/accounts/evergreen/{address}").status_code == 404


@pytest.mark.parametrize("query", ["from=x&until=9999-99-99", "kind=nonsense", "before=x", "q=%00"])
def test_nonsense_filters_change_nothing(made: Customer, query: str) -> None:
    client = browser(made.people["owner"])
    for page in ("explain/spendable/", "entries/", "messages/"):
        assert client.get(f"/accounts/evergreen/{page}?{query}").status_code == 200


def test_the_entries_leave_as_csv_to_the_last_one(made: Customer) -> None:
    rows = rows_of(browser(made.people["owner"]).get("/accounts/evergreen/entries/?format=csv"))
    assert len(rows) == JournalEntry.objects.filter(wallet=made.wallet).count()
    wanted = {"reference": "m-text", "type": "settle", "mode": "native_text", "charged": "0.3000"}
    assert any(wanted.items() <= row.items() for row in rows)


# -- one message ----------------------------------------------------------------------------------


def test_a_messages_story_tells_its_prices_and_what_came_back(made: Customer) -> None:
    context = browser(made.people["owner"]).get("/accounts/evergreen/message/?id=m-text").context
    assert (context["quoted"], context["charged"], context["returned"]) == (5_000, 3_000, 2_000)
    lines = {line.mode: line for line in context["prices"]}
    assert [mode for mode, line in lines.items() if line.is_quote] == ["yuexin_resolved"]
    assert [mode for mode, line in lines.items() if line.is_kept] == ["native_text"]
    assert [line.mode for line in context["other_prices"]] == ["video"]
    unresolved = lines["yuexin_unresolved"]
    assert (unresolved.unit_price, unresolved.units, unresolved.rule) == (500, 2, "segments")
    assert [item["entry"].kind for item in context["items"]] == ["settle", "sent", "hold"]


def test_a_message_that_only_redis_knows_has_a_story_too(made: Customer) -> None:
    answer = browser(made.people["owner"]).get("/accounts/evergreen/message/?id=m-fresh")
    assert answer.context["state"] == "held"
    assert answer.context["charged"] is None
    assert "not in the books yet" in answer.content.decode()


def test_strange_ids_stay_text(made: Customer) -> None:
    for strange in ("<script>", "../..", "a/b?c=d&e#f", "'\";--", "%2e%2e"):
        made.hold(strange)
    made.persist()
    client = browser(made.people["owner"])
    listing = client.get("/accounts/evergreen/messages/").content.decode()
    assert "<script>&" not in listing
    assert "&lt;script&gt;" in listing
    for strange in ("<script>", "../..", "a/b?c=d&e#f"):
        found = client.get("/accounts/evergreen/message/", {"id": strange})
        assert (found.status_code, found.context["id"]) == (200, strange)


def test_the_rules_that_people_read_are_those_the_scripts_are_tested_by() -> None:
    tested = Path(__file__).parents[2] / "data" / "message_reports.csv"
    assert rules_table.SOURCE.read_text() == tested.read_text()
    assert (len(rules_table.STATES), len(rules_table.events())) == (8, 12)
    assert len(rules_table.cells()) == 96
    for (state, event), cell in rules_table.cells().items():
        for phrase in (state, event, cell.next_state, cell.flag):
            known = not phrase or phrase in rules_table.WORDS or event == phrase == "sent"
            assert known or phrase == "none", phrase


def test_flags_are_told_apart_within_a_phrase() -> None:
    assert rules_table.flags_of("too late") == {"too late"}
    assert rules_table.flags_of("repeat if it says the same else contradiction") == {
        "repeat",
        "contradiction",
    }
    said = rules_table.flags_of("refused; unpaid if the parked report says delivered")
    assert said == {"refused", "unpaid"}


# -- operators ------------------------------------------------------------------------------------


def test_accounts_are_paged_by_their_keys_in_every_order(made: Customer) -> None:
    for number in range(PAGE_ROWS + 5):
        account = customer(f"a{number:03}").wallet.account
        Wallet.objects.filter(account=account).update(spendable=number // 2 * UNITS)
    boss = access.principal_of_user(operator())
    everything = set(Wallet.objects.values_list("account__slug", flat=True))
    for sort in SORTS:
        seen: list[str] = []
        after = ""
        while True:
            page = WalletQuery(sort=sort, after=after).page(boss)
            seen += [wallet.slug for wallet in page.rows]
            after = page.following
            if not after:
                break
        assert len(seen) == len(everything), sort
        assert set(seen) == everything, sort


@pytest.mark.parametrize(
    ("query", "slugs"),
    [
        ({"search": "ever"}, ["evergreen"]),
        ({"search": "North"}, ["northbank"]),
        ({"show": "frozen"}, []),
        ({"show": "owing"}, ["northbank"]),
        ({"show": "low"}, ["northbank"]),
        ({"show": "open"}, ["evergreen", "northbank"]),
    ],
)
def test_accounts_are_found_by_name_and_state(
    made: Customer, query: dict[str, str], slugs: list[str]
) -> None:
    other = customer("northbank").wallet
    Wallet.objects.filter(pk=other.pk).update(receivable=5, alert_below=10**9)
    page = WalletQuery(**query).page(access.principal_of_user(operator()))
    assert [wallet.slug for wallet in page.rows] == slugs


def test_the_list_of_accounts_leaves_as_csv_as_redis_has_it(made: Customer) -> None:
    rows = rows_of(browser(operator()).get("/billing/accounts/?format=csv"))
    assert [(row["account"], row["spendable"], row["held"]) for row in rows] == [
        ("evergreen", "148.6000", "1.0000")
    ]


def test_freezing_needs_a_reason_and_the_grant(made: Customer, boss: Client) -> None:
    path = "/billing/accounts/evergreen/freeze/"
    assert send(boss, path, reason=" ").status_code == 422
    assert send(browser(operator("looker")), path, reason="no").status_code == 403
    assert send(browser(made.people["owner"]), path, reason="no").status_code == 403
    made.wallet.refresh_from_db()
    assert made.wallet.status == "open"
    assert send(boss, path, reason="Unpaid").status_code == 200
    assert made.run(commands.balance("evergreen")).status == "frozen"
    assert send(boss, path.replace("freeze", "unfreeze"), reason="Paid").status_code == 200
    assert made.run(commands.balance("evergreen")).status == "open"


def test_money_asks_for_a_fresh_second_factor(made: Customer, settings: Any) -> None:
    settings.SECOND_FACTOR_FOR_MONEY = True
    client = browser(operator("boss", "finance"))
    answer = send(client, "/billing/accounts/evergreen/freeze/", reason="Unpaid")
    assert answer.status_code == 403
    assert answer.json()["title"] == "Two-factor check required"
    page = client.get("/billing/flagged/").content.decode()
    assert "/security/confirm/?next=%2Fbilling%2Fflagged%2F" in page


def test_the_rebuild_drill_brings_back_the_same_figures(made: Customer, boss: Client) -> None:
    before = made.run(commands.balance("evergreen"))
    answer = send(boss, "/billing/accounts/evergreen/rebuild/", reason="Drill")
    assert answer.status_code == 200
    assert answer.json()["same"] is True
    after = made.run(commands.balance("evergreen"))
    assert (after.bal, after.held, after.status) == (before.bal, before.held, "open")
    assert after.generation != before.generation


@pytest.mark.parametrize("body", [b"[]", b"{", b"\xff", b"x" * 20_000, b'{"reason": 5}'])
def test_malformed_bodies_change_nothing(made: Customer, boss: Client, body: bytes) -> None:
    for verb in ("freeze", "rebuild"):
        path = f"/billing/accounts/evergreen/{verb}/"
        answer = boss.post(path, body, content_type="application/json")
        assert answer.status_code == 422
    made.wallet.refresh_from_db()
    assert (made.wallet.status, made.wallet.generation) == ("open", 1)


def report_of() -> FlaggedReport:
    return FlaggedReport.objects.get(message_id="m-late")


def test_a_loss_is_accepted_once_with_a_reason(made: Customer, boss: Client) -> None:
    path = f"/billing/flagged/{report_of().pk}/accept/"
    assert send(boss, path, reason="").status_code == 422
    assert send(boss, path, reason="The gateway's fault").status_code == 200
    assert (report_of().closing, report_of().closed_by) == ("accepted", "boss")
    assert send(boss, path, reason="again").status_code == 422
    assert "m-late" not in boss.get("/billing/flagged/").content.decode()
    assert "m-late" in boss.get("/billing/flagged/?show=closed").content.decode()


@pytest.mark.parametrize("given", ["", "0", "-1", "1e3x", "NaN", "0.00001", "9007199254740992"])
def test_a_charge_by_hand_takes_an_amount_alone(made: Customer, boss: Client, given: str) -> None:
    path = f"/billing/flagged/{report_of().pk}/charge/"
    answer = send(boss, path, reason="Delivered", amount=given, token=str(uuid4()))
    assert answer.status_code == 422
    assert report_of().adjustments.count() == 0


def test_a_charge_by_hand_waits_for_another_operator_and_a_second_click_is_one(
    made: Customer, boss: Client
) -> None:
    path = f"/billing/flagged/{report_of().pk}/charge/"
    token = str(uuid4())
    for _ in range(2):
        answer = send(boss, path, reason="Delivered", amount="0.30", token=token)
        assert answer.status_code == 200
    assert report_of().adjustments.count() == 1
    assert send(boss, path, reason="x", amount="0.30", token="nonsense").status_code == 422
    assert "Waiting for approval" in boss.get("/billing/flagged/?show=waiting").content.decode()
    before = made.run(commands.balance("evergreen")).bal
    assert before == SPENDABLE - 5_000


def test_the_audit_says_green_and_names_the_first_difference(made: Customer, boss: Client) -> None:
    assert "Not verified yet" in boss.get("/billing/audit/").content.decode()
    assert send(boss, "/billing/audit/run/").json()["title"] == "The books agree"
    assert "The books agree" in boss.get("/billing/audit/").content.decode()
    JournalEntry.objects.filter(wallet=made.wallet, operation_id="m-text", kind="settle").update(
        spendable=2_001, revenue=2_999
    )
    AuditRun.objects.all().delete()
    audit_some(5, 0)
    text = boss.get("/billing/audit/").content.decode()
    assert "The books do not agree" in text
    assert "m-text" in text
    assert send(boss, "/billing/audit/run/").json()["kind"] == "bad"


def test_holds_are_counted_in_the_bucket_of_their_age(made: Customer) -> None:
    context = browser(operator()).get("/billing/holds/").context
    assert (context["count"], context["amount"]) == (1, 5_000)
    assert [bucket["count"] for bucket in context["buckets"]] == [1, 0, 0, 0, 0, 0]
    assert context["oldest"][0].message_id == "m-open"


# -- overview and search --------------------------------------------------------------------------


def test_the_search_finds_accounts_messages_and_nothing_of_others(made: Customer) -> None:
    owner = access.principal_of_user(made.people["owner"])
    stranger = access.principal_of_user(customer("northbank").people["owner"])
    assert [found.url for found in find(owner, "m-text", 8)] == [
        "/accounts/evergreen/message/?id=m-text"
    ]
    assert [found.url for found in find(owner, "ever", 8)] == ["/accounts/evergreen/"]
    boss = access.principal_of_user(operator())
    assert [found.url for found in find(boss, "evergreen", 8)] == ["/billing/accounts/evergreen/"]
    assert list(find(stranger, "m-text", 8)) == []
    assert list(find(stranger, "ever", 8)) == []
    assert list(find(access.principal_of_user(made.people["agent"]), "m-text", 8)) == []


def test_the_overview_shows_each_reader_their_own_balances(made: Customer) -> None:
    customer("northbank")
    own = balances_card(access.principal_of_user(made.people["owner"]))
    every = balances_card(access.principal_of_user(operator()))
    assert own is not None
    assert every is not None
    assert [row["name"] for row in own.rows] == ["Evergreen"]
    assert {row["name"] for row in every.rows} == {"Evergreen", "Northbank"}
    assert balances_card(access.principal_of_user(made.people["agent"])) is None


def test_money_held_counts_the_accounts_that_are_not_on_the_card(
    made: Customer, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = customer("northbank")
    for each in (made, other):
        each.hold("pending")
        each.persist()
    boss = access.principal_of_user(operator())
    overview.forget()
    whole = money_held(boss)
    monkeypatch.setattr(overview, "CANDIDATES", 1)
    overview.forget()
    assert money_held(boss) == whole
    held = sum(Wallet.objects.values_list("held", flat=True))
    assert whole is not None
    assert whole.value == amount(held // 100 * 100, "CNY")


def test_words_for_money_are_exact() -> None:
    assert amount(182_406_150, "CNY") == "¥18,240.6150"
    assert amount(182_406_100, "CNY") == "¥18,240.61"
    assert amount(-5, "SEK") == "\N{MINUS SIGN}SEK\N{NO-BREAK SPACE}0.0005"
    assert amount(2**53 - 1) == "900,719,925,474.0991"
    assert exact(-327_600, signed=True) == "\N{MINUS SIGN}32.7600"
    assert exact(49_200, signed=True) == "+4.9200"
    assert rounded(1_747_950, "CNY") == "¥174.80"
    assert mode_word("telepathy") == "telepathy"
    assert [lasts_word(hours) for hours in (None, 0.2, 11, 96, 99_999)] == [
        *("–", "under 1 h", "11 h", "4 d", "over a year")
    ]


def test_page_data_for_modules_is_json(made: Customer) -> None:
    answer = browser(made.people["owner"]).get("/accounts/evergreen/usage/data/?range=30d")
    found = json.loads(answer.content)
    assert [series["mode"] for series in found["series"]] == ["native_text", "yuexin_unresolved"]
    assert sum(found["totals"]) == 4_000
    assert (
        browser(made.people["owner"]).get("/accounts/evergreen/usage/data/?range=1y").status_code
        == 422
    )
