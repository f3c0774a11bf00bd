"""The API behind Django: accounts, books, tariffs, top-ups, adjustments, refunds."""

import csv
import io
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from billing import servers
from billing import wallet as commands
from billing.models import Adjustment, Message, Receivable, Recharge, Tariff, Wallet
from billing.persistence.running import persist_one
from poolsite.access.models import AuditEntry
from tests.billing.api.book_keepers import Office

PRICES = {"video": {"unit_price": "0.5000", "kilobytes_per_unit": 100}}


def ok(answer: Any, status: int = 200) -> Any:
    assert answer.status_code == status, answer.content
    return answer.json() if answer.content else None


def run(office: Office, command: Any) -> Any:
    return servers.path(office.shop.wallet).run(command)


def used(office: Office) -> None:
    """Add a held, a sent and a settled message, and persist all to the books."""
    for name in ("m-1", "m-2", "m-3"):
        quote = commands.Quote({"native_text": 1_000, "video": 2_000})
        request = commands.HoldRequest(name, "hash", quote, chatbot="shop", sent=name != "m-1")
        run(office, commands.hold("acme", request))
    report = commands.DeliveryReport("m-3", final=True, delivered=True, mode="native_text")
    run(office, commands.report("acme", report))
    persist_one(Wallet.objects.select_related("account").get(pk=office.shop.wallet.pk))


GETS = (
    *("", "messages", "entries", "receivables", "statements", "tariffs", "top-ups", "campaigns"),
    *("chatbots", "templates", "opt-outs", "settings", "refunds", "adjustments", "open-holds"),
    *("flagged-reports", "invoices", "tax-profile"),
)


@pytest.mark.parametrize("part", GETS)
def test_a_foreign_account_looks_like_a_missing_one(office: Office, part: str) -> None:
    foreign = office.ask("get", part, who="stranger")
    missing = office.at("get", f"/api/v1/accounts/nobody/{part}".rstrip("/"), who="stranger")
    assert (foreign.status_code, foreign.json()["type"]) == (404, "unknown-account")
    assert foreign.json() == missing.json()
    assert office.ask("get", part, who="olga").status_code == 200
    assert office.ask("get", part, who="nobody").status_code == 401


def test_accounts_are_listed_by_what_the_credential_sees(office: Office) -> None:
    def names(who: str, **query: Any) -> list[str]:
        found = ok(office.at("get", "/api/v1/accounts", query, who=who))["data"]
        return [row["account"] for row in found]

    assert names("looker") == ["other", "acme"]
    assert names("owner") == names("token") == ["acme"]
    assert names("stranger") == ["other"]
    assert names("looker", q="oth") == ["other"]
    assert names("looker", state="frozen") == []
    first = ok(office.at("get", "/api/v1/accounts", {"limit": 1}, who="looker"))
    assert names("looker", cursor=first["next"]) == ["acme"]
    row = ok(office.ask("get", ""))
    assert (row["spendable"], row["held"], row["status"]) == ("100.0000", "0.0000", "open")
    bad = office.at("get", "/api/v1/accounts", {"state": "odd"}, who="looker")
    assert (bad.status_code, bad.json()["type"]) == (422, "malformed")


def test_settings_are_the_payers(office: Office) -> None:
    change = {"daily_limit": "12.5", "alert_below": "3", "top_up_daily_count": 2}
    told = ok(office.ask("patch", "settings", change))
    assert (told["daily_limit"], told["alert_below"]) == ("12.5000", "3.0000")
    office.shop.wallet.refresh_from_db()
    assert office.shop.wallet.daily_limit == 125_000
    assert office.shop.balance().settings.daily_limit == 125_000
    assert AuditEntry.objects.get(action="billing.wallet_configure").after == {
        "daily_limit": 125_000,
        "alert_below": 30_000,
        "top_up_daily_count": 2,
    }
    assert office.ask("patch", "settings", change, who="sender").status_code == 403
    assert office.ask("patch", "settings", change, who="token").status_code == 403
    for bad in ({"daily_limit": "-1"}, {"daily_limit": 5}, {"odd": "1"}, {"alert_below": "1e3"}):
        assert office.ask("patch", "settings", bad).status_code == 422


def test_money_asks_for_a_second_factor(office: Office, settings: Settings) -> None:
    settings.SECOND_FACTOR_FOR_MONEY = True
    for part, who in (("settings", "owner"), ("adjustments", "olga")):
        refused = office.ask("get", part, who=who)
        assert (refused.status_code, refused.json()["type"]) == (403, "second-factor")


def test_a_credit_limit_is_lowered_by_one_and_raised_by_two(office: Office) -> None:
    def ask(amount: str, who: str = "olga", **more: Any) -> Any:
        given = {"amount": amount, "reason": "contract", **more}
        return office.ask("post", "credit-limit", given, who=who)

    told = ok(ask("50"))
    assert (told["credit_limit"], told["waiting"]["state"]) == ("0.0000", "waiting")
    assert (told["waiting"]["kind"], told["waiting"]["amount"]) == ("credit_limit", "50.0000")
    again = ask("60")
    assert (again.status_code, again.json()["type"]) == (409, "wrong-state")
    for who, status in (("owner", 403), ("looker", 403), ("token", 403), ("stranger", 404)):
        assert ask("0", who).status_code == status, who
    way = f"adjustments/{told['waiting']['id']}/approve"
    assert office.ask("post", way, {}, who="olga").status_code == 422
    assert ok(office.ask("post", way, {}, who="omar"))["state"] == "applied"
    row = ok(office.ask("get", ""))
    assert (row["balance"], row["credit_limit"], row["spendable"]) == (
        *("100.0000", "50.0000"),
        "150.0000",
    )
    assert ok(ask("0"))["waiting"] is None
    assert ok(office.ask("get", ""))["spendable"] == "100.0000"
    for bad in ({"amount": "-1"}, {"amount": 5}, {"amount": "1", "odd": 1}, {"reason": " "}):
        assert office.ask("post", "credit-limit", {"amount": "1", "reason": "x", **bad}, who="olga"
                          ).status_code == 422  # fmt: skip
    listed = ok(office.ask("get", "adjustments", {"kind": "credit_limit"}, who="olga"))["data"]
    assert [each["state"] for each in listed] == ["applied"]


def test_an_account_is_frozen_opened_and_closed_with_a_reason(office: Office) -> None:
    why = {"reason": "Fraud check"}
    assert ok(office.ask("post", "freeze", why, who="olga"))["status"] == "frozen"
    assert office.shop.balance().status == "frozen"
    assert office.ask("post", "freeze", {}, who="olga").status_code == 422
    assert office.ask("post", "freeze", {"reason": " "}, who="olga").status_code == 422
    assert office.ask("post", "freeze", why, who="owner").status_code == 403
    assert office.ask("post", "freeze", why, who="stranger").status_code == 404
    assert ok(office.ask("post", "unfreeze", why, who="olga"))["status"] == "open"
    assert ok(office.ask("post", "close", why, who="olga"))["status"] == "closed"
    told = AuditEntry.objects.filter(action="billing.wallet_status", reason="Fraud check")
    assert [row.after["status"] for row in told.order_by("pk")] == ["frozen", "open", "closed"]
    assert office.ask("post", "unfreeze", why, who="olga").status_code == 409
    assert ok(office.ask("post", "open", who="olga"))["account"] == "acme"
    assert office.ask("post", "open", who="owner").status_code == 403
    assert office.ask("post", "open", who="stranger").status_code == 404


def test_messages_holds_and_entries_are_filtered(office: Office) -> None:
    used(office)

    def ids(part: str = "messages", who: str = "owner", **query: Any) -> list[str]:
        return [row["message_id"] for row in ok(office.ask("get", part, query, who=who))["data"]]

    assert ids() == ids(who="token") == ["m-3", "m-2", "m-1"]
    assert ids(state="sent") == ["m-2"]
    assert ids(mode="native_text") == ["m-3"]
    assert ids(q="m-1") == ["m-1"]
    assert ids(chatbot="none") == ids(flagged="true") == []
    later = (timezone.now() + timedelta(hours=1)).isoformat()
    assert ids(since=later) == []
    assert len(ids(until=later)) == 3
    assert ids("open-holds", "looker") == ["m-2", "m-1"]
    assert ids("open-holds", "looker", state="held") == ["m-1"]
    assert office.ask("get", "open-holds").status_code == 403
    rows = {row["message_id"]: row for row in ok(office.ask("get", "messages"))["data"]}
    assert (rows["m-1"]["held"], rows["m-1"]["charged"]) == ("0.2000", "0.0000")
    assert (rows["m-3"]["held"], rows["m-3"]["charged"]) == ("0.0000", "0.1000")
    for bad in ({"state": "odd"}, {"odd": "1"}, {"since": "5"}, {"limit": 0}):
        assert office.ask("get", "messages", bad).status_code == 422
    assert office.ask("get", "messages", {"campaign": 9}).json()["type"] == "unknown-campaign"
    settled = ok(office.ask("get", "entries", {"kind": "settle"}))["data"]
    assert [(row["operation"], row["charged"]) for row in settled] == [("m-3", "0.1000")]
    assert ok(office.ask("get", "entries", {"since": later}))["data"] == []
    assert len(ok(office.ask("get", "entries", {"q": "m-2"}))["data"]) == 1


def test_statements_add_up_and_their_rows_have_the_balance(office: Office) -> None:
    used(office)
    year = ok(office.ask("get", "statements"))
    month = year["months"][0]
    assert (month["state"], month["top_ups"], month["charges"]) == ("running", "100.0000", "0.1000")
    one = ok(office.ask("get", f"statements/{month['month']}"))
    assert one["by_mode"] == [{"name": "native_text", "count": 1, "amount": "0.1000"}]
    assert sum(float(day["charges"]) for day in one["days"]) == pytest.approx(0.1)
    path = f"statements/{month['month']}/rows"
    rows = ok(office.ask("get", path))["data"]
    first = ok(office.ask("get", path, {"limit": 2}))
    rest = ok(office.ask("get", path, {"cursor": first["next"]}))["data"]
    assert [*first["data"], *rest] == rows
    assert rows[-1]["balance"] == "99.5000"
    for name in ("1999-01", "2999-01", "2026-13"):
        assert office.ask("get", f"statements/{name}").status_code == 404


def test_a_statement_is_a_csv_at_any_time_and_a_pdf_once_it_is_final(office: Office) -> None:
    used(office)
    (month, *_) = ok(office.ask("get", "statements"))["months"]
    path = f"statements/{month['month']}"
    rows = ok(office.ask("get", f"{path}/rows"))["data"]
    answer = office.ask("get", f"{path}/csv")
    text = b"".join(answer).decode("utf-8-sig")
    lines = list(csv.DictReader(io.StringIO(text)))
    assert [line["operation"] for line in lines] == [row["operation"] for row in rows]
    assert lines[-1]["balance"] == rows[-1]["balance"] == "99.5000"
    refused = office.ask("get", f"{path}/pdf")
    assert (refused.status_code, refused.json()["type"]) == (409, "month-not-final")
    final = office.ask("get", "statements/2026-01/pdf")
    assert (final.status_code, final["Content-Type"]) == (200, "application/pdf")
    assert final.content.startswith(b"%PDF-")
    for kind in ("csv", "pdf"):
        assert office.ask("get", f"statements/2999-01/{kind}").status_code == 404
        stranger = office.ask("get", f"statements/2026-01/{kind}", who="stranger")
        assert stranger.status_code == 404


def test_what_is_owed_is_listed(office: Office) -> None:
    run(office, commands.move("acme", "debit:1", "debit", 1_500_000))
    persist_one(Wallet.objects.select_related("account").get(pk=office.shop.wallet.pk))
    (row,) = ok(office.ask("get", "receivables"))["data"]
    assert (row["operation"], row["amount"]) == ("debit:1", "50.0000")
    assert Receivable.objects.count() == 1


def test_tariffs_are_previewed_created_changed_ended_and_deleted(office: Office) -> None:
    begin = timezone.now() + timedelta(days=3)
    given = {"name": "Autumn", "prices": PRICES, "valid_from": begin.isoformat()}
    told = ok(office.ask("post", "tariff-previews", given, who="olga"))
    assert (len(told["ends"]), Tariff.objects.filter(name="Autumn").count()) == (1, 0)
    made = ok(office.ask("post", "tariffs", given, who="olga"), 201)
    assert made["prices"]["video"]["unit_price"] == "0.5000"
    row = Tariff.objects.get(pk=made["id"])
    assert row.prices == {"video": {"unit_price": 5_000, "kilobytes_per_unit": 100}}
    path = f"tariffs/{made['id']}"
    listed = ok(office.ask("get", "tariffs", {"state": "scheduled"}))["data"]
    assert [each["id"] for each in listed] == [made["id"]]
    assert ok(office.ask("get", path))["state"] == "scheduled"
    ok(office.ask("patch", path, {**given, "name": "Winter"}, who="olga"))
    ends = {"valid_until": (begin + timedelta(days=1)).isoformat()}
    assert ok(office.ask("post", f"{path}/end", ends, who="olga"))["name"] == "Winter"
    ok(office.ask("delete", path, who="olga"), 204)
    assert office.ask("delete", path, who="olga").json()["type"] == "unknown-tariff"
    assert not Tariff.objects.filter(pk=made["id"]).exists()
    assert AuditEntry.objects.filter(action="billing.tariff_delete").count() == 1
    for who, status in (("owner", 403), ("stranger", 404), ("token", 403)):
        assert office.ask("post", "tariffs", given, who=who).status_code == status
    odd = {"odd": {"unit_price": "1"}}
    for bad in ({"prices": {}}, {"prices": odd}, {"valid_from": "2020-01-01T00:00:00Z"}):
        assert office.ask("post", "tariffs", {**given, **bad}, who="olga").status_code == 422


def test_a_top_up_is_started_once_and_cancelled(office: Office) -> None:
    token = "11111111-1111-4111-8111-111111111111"
    given = {"amount": "20", "provider": "demo", "token": token}
    made = ok(office.ask("post", "top-ups", given), 201)
    assert ok(office.ask("post", "top-ups", given), 201)["id"] == made["id"]
    assert Recharge.objects.get().amount == 200_000
    assert made["url"].endswith(f"/accounts/acme/top-ups/{made['id']}/pay/")
    path = f"top-ups/{made['id']}"
    assert ok(office.ask("post", f"{path}/cancel"))["status"] == "cancelled"
    assert ok(office.ask("get", "top-ups", {"state": "failed"}))["data"][0]["id"] == made["id"]
    assert ok(office.ask("get", "top-ups", {"state": "paid"}))["data"] == []
    assert office.ask("get", "top-ups/999").json()["type"] == "unknown-top-up"
    for bad in ({"amount": "0"}, {"provider": "odd"}, {"token": "x"}):
        assert office.ask("post", "top-ups", {**given, **bad}).status_code == 422
    assert office.ask("post", "top-ups", given, who="sender").status_code == 403


def test_an_adjustment_needs_four_eyes_as_on_the_page(office: Office) -> None:
    given = {"kind": "credit", "amount": "5", "reason": "Goodwill"}
    made = ok(office.ask("post", "adjustments", given, who="olga"), 201)
    assert (made["state"], made["requested_by"]) == ("waiting", "olga")
    path = f"adjustments/{made['id']}"
    assert office.ask("post", f"{path}/approve", who="olga").status_code == 422
    assert office.shop.balance().bal == 1_000_000
    told = ok(office.ask("post", f"{path}/approve", who="omar"))
    assert (told["state"], told["decided_by"]) == ("applied", "omar")
    assert office.shop.balance().bal == 1_050_000
    assert office.ask("post", f"{path}/reject", {"reason": "No"}, who="omar").status_code == 409
    other = ok(office.ask("post", "adjustments", {**given, "kind": "debit"}, who="olga"), 201)
    why = {"reason": "Wrong account"}
    told = ok(office.ask("post", f"adjustments/{other['id']}/reject", why, who="omar"))
    assert told["state"] == "rejected"
    assert ok(office.ask("get", path, who="omar"))["reason"] == "Goodwill"
    waiting = office.ask("get", "adjustments", {"state": "waiting"}, who="omar")
    assert ok(waiting)["data"] == []
    assert office.shop.balance().bal == 1_050_000
    assert AuditEntry.objects.filter(action="billing.adjustment_approve").count() == 1
    for who, status in (("owner", 403), ("stranger", 404), ("looker", 403), ("token", 403)):
        assert office.ask("post", "adjustments", given, who=who).status_code == status
    for bad in ({"amount": "0"}, {"kind": "by_hand"}, {"reason": ""}, {"top_up": 9}):
        answer = office.ask("post", "adjustments", {**given, **bad}, who="olga")
        assert answer.status_code in (404, 422)
    assert Adjustment.objects.count() == 2


def test_a_refund_is_asked_for_withdrawn_declined_and_accepted(office: Office) -> None:
    persist_one(Wallet.objects.select_related("account").get(pk=office.shop.wallet.pk))
    given = {"amount": "5", "payout": "Bank, 1, Mei", "reason": "Moving"}
    first = ok(office.ask("post", "refunds", given), 201)
    assert ok(office.ask("post", f"refunds/{first['id']}/withdraw"))["state"] == "withdrawn"
    second = ok(office.ask("post", "refunds", given), 201)
    no = {"reason": "Not due"}
    assert office.ask("post", f"refunds/{second['id']}/decline", no).status_code == 403
    told = ok(office.ask("post", f"refunds/{second['id']}/decline", no, who="olga"))
    assert (told["state"], told["answer"]) == ("declined", "Not due")
    third = ok(office.ask("post", "refunds", given), 201)
    made = ok(office.ask("post", f"refunds/{third['id']}/accept", {}, who="olga"))
    assert (made["kind"], made["state"]) == ("cash_refund", "waiting")
    states = [row["state"] for row in ok(office.ask("get", "refunds"))["data"]]
    assert states == ["accepted", "declined", "withdrawn"]
    ok(office.ask("post", f"adjustments/{made['id']}/approve", who="omar"))
    paid = office.ask("post", f"adjustments/{made['id']}/cancel", no, who="omar")
    assert paid.status_code == 409
    assert office.shop.balance().bal == 950_000
    assert office.ask("post", "refunds/99/withdraw").json()["type"] == "unknown-refund"
    assert office.ask("post", "refunds", {**given, "amount": "5000"}).status_code == 422


def test_the_live_data_is_rebuilt_and_nothing_is_lost(office: Office) -> None:
    used(office)
    told = ok(office.ask("post", "rebuild", {"reason": "Drill"}, who="olga"))
    assert (told["difference"], told["held_difference"]) == ("0.0000", "0.0000")
    assert office.shop.balance().held == 4_000
    assert Message.objects.count() == 3
    assert office.ask("post", "rebuild", {"reason": "Drill"}).status_code == 403
    ok(office.ask("post", "payment-method/remove"), 204)
