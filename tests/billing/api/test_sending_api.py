"""The API behind Django: campaigns, templates, chatbots, opt-outs, flagged reports."""

from typing import Any

import pytest
from django.utils import timezone

from billing.models import Adjustment, Campaign, Chatbot, FlaggedReport, OptOut, Template
from poolsite.access.models import ApiToken, AuditEntry
from tests.billing.api.book_keepers import Office
from tests.billing.api.test_accounts import ok
from tests.billing.campaigns.world import work

COMPLETE = {
    "chatbot": "shop",
    "name": "Spring",
    "native_text": "Our list",
    "yuexin_text": "Our list https://example.com/s",
    "yuexin_link": "https://example.com/s",
    "link_registered": True,
    "video_subject": "Spring",
    "video_kilobytes": 150,
}
CSV = "number\n+8613900000001\n+8613900000002\n+8613900000002\nodd\n"


def campaign(office: Office, **given: Any) -> Any:
    template = ok(office.ask("post", "templates", COMPLETE), 201)["id"]
    body = {"name": "Sale", "template": template, "recipients": CSV, **given}
    return ok(office.ask("post", "campaigns", body, who="sender"), 201)


def test_a_campaign_goes_from_its_draft_to_its_end(office: Office) -> None:
    made = campaign(office)
    assert (made["state"], made["reading"]) == ("draft", True)
    work(Campaign.objects.get(pk=made["id"]))
    path = f"campaigns/{made['id']}"
    told = ok(office.ask("get", path))
    assert (told["recipients"], told["dropped"], told["reading"]) == (2, 2, False)
    rows = ok(office.ask("get", f"{path}/recipients"))
    assert [row["number"] for row in rows["data"]] == ["+8613900000001", "+8613900000002"]
    assert ok(office.ask("get", f"{path}/recipients", {"state": "delivered"}))["data"] == []
    dropped = ok(office.ask("get", f"{path}/dropped-rows"))["data"]
    assert [row["why"] for row in dropped] == ["twice", "not_a_number"]
    assert float(ok(office.ask("get", f"{path}/estimate"))["most"]) > 0
    later = "2099-01-01T00:00:00+00:00"
    change = {
        "name": "Autumn",
        "scheduled_at": later,
        "quiet_from": "22:00",
        "quiet_until": "06:00",
    }
    told = ok(office.ask("patch", path, change))
    assert (told["name"], told["quiet_from"]) == ("Autumn", "22:00")
    none = {"quiet_from": None, "quiet_until": None}
    assert ok(office.ask("patch", path, none))["quiet_from"] is None
    assert Campaign.objects.get().scheduled_at is not None
    assert office.ask("post", f"{path}/send").status_code == 422  # there is no gateway in this test
    assert office.ask("post", f"{path}/pause").status_code == 409
    listed = ok(office.ask("get", "campaigns", {"q": "aut", "state": "draft"}))["data"]
    assert [row["id"] for row in listed] == [made["id"]]
    assert ok(office.ask("get", "campaigns", {"state": "done"}))["data"] == []
    ok(office.ask("delete", path), 204)
    assert office.ask("get", path).json()["type"] == "unknown-campaign"
    assert AuditEntry.objects.filter(action="billing.campaign_delete").count() == 1


def test_a_campaign_is_sent_paused_resumed_and_cancelled(office: Office, settings: Any) -> None:
    settings.BILLING_GATEWAY_URL = "http://127.0.0.1:9"
    settings.BILLING_GATEWAY_TOKEN = "token"
    made = campaign(office)
    work(Campaign.objects.get(pk=made["id"]))
    path = f"campaigns/{made['id']}"
    ok(office.ask("patch", path, {"scheduled_at": "2099-01-01T00:00:00+00:00"}))
    assert ok(office.ask("post", f"{path}/send", who="token"))["state"] == "scheduled"
    assert ok(office.ask("post", f"{path}/pause"))["state"] == "paused"
    assert ok(office.ask("post", f"{path}/resume"))["state"] == "scheduled"
    assert office.ask("post", f"{path}/cancel", {"reason": " "}).status_code == 422
    told = ok(office.ask("post", f"{path}/cancel", {"reason": "Wrong list"}))
    assert (told["state"], told["state_reason"]) == ("cancelled", "Wrong list")
    Campaign.objects.update(status="low")
    assert ok(office.ask("post", f"{path}/await-top-up"))["state"] == "low"
    assert Campaign.objects.get().top_up_awaited_since is not None
    assert office.ask("post", f"{path}/test-send", {"number": "odd"}).status_code == 422


@pytest.mark.parametrize(("who", "status"), [("payer", 403), ("looker", 403), ("stranger", 404)])
def test_who_may_not_send_changes_nothing(office: Office, who: str, status: int) -> None:
    made = campaign(office)
    path = f"campaigns/{made['id']}"
    before = AuditEntry.objects.count()
    for part in ("send", "pause", "resume", "await-top-up"):
        assert office.ask("post", f"{path}/{part}", who=who).status_code == status
    for method, part, body in (
        ("post", "campaigns", {"name": "x", "template": 1}),
        ("post", f"{path}/recipients", {"recipients": CSV}),
        ("post", f"{path}/cancel", {"reason": "x"}),
        ("patch", path, {"name": "x"}),
        ("delete", path, None),
        ("post", "templates", COMPLETE),
        ("post", "chatbots", {"id": "x", "name": "x"}),
        ("post", "chatbots/shop/token", None),
        ("post", "opt-outs", {"numbers": ["+8613900000001"]}),
    ):
        assert office.ask(method, part, body, who=who).status_code == status, part
    assert AuditEntry.objects.count() == before


def test_what_belongs_to_another_account_is_not_found(office: Office) -> None:
    made = campaign(office)
    theirs = office.foreign.url
    template = Template.objects.get().pk
    for part, kind in (
        (f"campaigns/{made['id']}", "unknown-campaign"),
        (f"templates/{template}", "unknown-template"),
        ("chatbots/nobody", "unknown-chatbot"),
    ):
        answer = office.at("get", f"{theirs}/{part}", who="stranger")
        assert (answer.status_code, answer.json()["type"]) == (404, kind)
    body = {"name": "x", "template": template}
    answer = office.at("post", f"{theirs}/campaigns", body, who="stranger")
    assert answer.json()["type"] == "unknown-template"


def test_a_template_is_made_changed_archived_and_restored(office: Office) -> None:
    made = ok(office.ask("post", "templates", {"chatbot": "shop", "name": "Short"}), 201)
    assert made["missing"]
    path = f"templates/{made['id']}"
    told = ok(office.ask("patch", path, {"native_text": "Hi", "reason": "Shorter"}))
    assert (told["native_text"], told["name"]) == ("Hi", "Short")
    assert AuditEntry.objects.get(action="billing.template_change").reason == "Shorter"
    assert ok(office.ask("post", f"{path}/archive"))["archived"] is True
    assert ok(office.ask("get", "templates", {"state": "active"}))["data"] == []
    found = ok(office.ask("get", "templates", {"state": "archived", "chatbot": "shop", "q": "sh"}))
    assert [row["id"] for row in found["data"]] == [made["id"]]
    assert ok(office.ask("post", f"{path}/restore"))["archived"] is False
    for bad in ({"video_kilobytes": -1}, {"yuexin_link": "odd"}, {"name": ""}, {"odd": 1}):
        assert office.ask("patch", path, bad).status_code == 422
    assert office.ask("post", "templates", {**COMPLETE, "chatbot": "x"}).status_code == 404


def test_a_chatbot_gets_a_token_and_loses_it_when_archived(office: Office) -> None:
    made = ok(office.ask("post", "chatbots", {"id": "news", "name": "News"}), 201)
    assert (made["token"], made["rate_limit"]) == ("", 0)
    assert ok(office.ask("patch", "chatbots/news", {"rate_limit": 5}))["name"] == "News"
    answer = office.ask("post", "chatbots/news/token")
    secret = ok(answer, 201)["token"]
    assert answer["Cache-Control"] == "no-store"
    shown = ok(office.ask("get", "chatbots/news"))["token"]
    assert shown
    assert secret.startswith(shown[:3])
    assert ok(office.ask("post", "chatbots/news/archive"))["token"] == ""
    assert ApiToken.objects.get(pk=Chatbot.objects.get(slug="news").token_id).revoked_at
    assert ok(office.ask("post", "chatbots/news/restore"))["archived"] is False
    assert [row["id"] for row in ok(office.ask("get", "chatbots"))["data"]] == ["news", "shop"]
    for bad in ({"id": "News!"}, {"id": "shop"}, {"name": ""}, {"rate_limit": -1}):
        body = {"id": "other", "name": "x", **bad}
        assert office.ask("post", "chatbots", body).status_code == 422


def test_opt_outs_are_added_all_or_none_and_removed_with_a_reason(office: Office) -> None:
    numbers = {"numbers": ["13900000001", "+8613900000002"], "reason": "Asked"}
    assert ok(office.ask("post", "opt-outs", numbers), 201) == {"added": 2}
    assert office.ask("post", "opt-outs", {"numbers": ["+8613900000003", "x"]}).status_code == 422
    rows = ok(office.ask("get", "opt-outs"))["data"]
    assert [row["number"] for row in rows] == ["+8613900000002", "+8613900000001"]
    assert len(ok(office.ask("get", "opt-outs", {"q": "13900000001"}))["data"]) == 1
    path = f"opt-outs/{rows[0]['id']}/remove"
    assert office.ask("post", path, {}).status_code == 422
    ok(office.ask("post", path, {"reason": "Mistake"}), 204)
    assert office.ask("post", path, {"reason": "Mistake"}).json()["type"] == "unknown-opt-out"
    assert OptOut.objects.count() == 1
    assert AuditEntry.objects.get(action="billing.opt_out_remove").reason == "Mistake"


def test_flagged_reports_are_accepted_or_charged_by_two(office: Office) -> None:
    reports = [
        FlaggedReport.objects.create(
            wallet=office.shop.wallet,
            generation=1,
            seq=900 + number,
            message_id=f"m-{number}",
            flag="late",
            difference=900,
            at=timezone.now(),
        )
        for number in range(2)
    ]
    shown = ok(office.ask("get", "flagged-reports", {"flag": "late"}, who="looker"))["data"]
    assert [row["difference"] for row in shown] == ["0.0900", "0.0900"]
    assert ok(office.ask("get", "flagged-reports", {"q": "m-1"}, who="looker"))["data"][0]
    assert office.ask("get", "flagged-reports").status_code == 403
    why = {"reason": "Too small"}
    path = f"flagged-reports/{reports[0].pk}"
    assert office.ask("post", f"{path}/accept", why).status_code == 403
    assert ok(office.ask("post", f"{path}/accept", why, who="olga"))["closing"] == "accepted"
    charge = {"amount": "0.09", "reason": "Delivered"}
    path = f"flagged-reports/{reports[1].pk}"
    made = ok(office.ask("post", f"{path}/charge", charge, who="olga"), 201)
    assert (made["state"], made["flagged_report"]) == ("waiting", reports[1].pk)
    waiting = office.ask("get", "flagged-reports", {"state": "waiting"}, who="olga")
    assert [row["waiting"] for row in ok(waiting)["data"]] == [True]
    ok(office.ask("post", f"adjustments/{made['id']}/approve", who="omar"))
    closed = ok(office.ask("get", "flagged-reports", {"state": "closed"}, who="olga"))["data"]
    assert {row["closing"] for row in closed} == {"accepted", "charged"}
    missing = office.ask("post", "flagged-reports/999/accept", why, who="olga")
    assert missing.json()["type"] == "unknown-report"
    assert Adjustment.objects.get().kind == "by_hand"
