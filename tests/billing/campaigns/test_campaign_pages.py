"""The pages of campaigns, in the order in which a sender uses them."""

from io import BytesIO

import pytest
from django.test import Client

from billing.models import Campaign, OptOut, Template
from billing.pricing.content import missing_of
from billing.selectors.campaigns_estimate import estimate_of
from poolsite.access.models import User
from poolsite.access.services import membership_set, user_create
from poolsite.jobs import runner
from tests.billing.campaigns.world import (
    DEAREST,
    GatewayProcess,
    Sender,
    fresh,
    numbers,
    send,
    work,
)


@pytest.fixture
def client(acme: Sender) -> Client:
    """A browser of a member who sends."""
    user = user_create(username="sender", actor="test")
    membership_set(user=user, account=acme.wallet.account, roles=["sender"], actor="test")
    client = Client()
    client.force_login(User.objects.get(pk=user.pk))
    return client


def file_of(text: str, name: str = "people.csv") -> BytesIO:
    file = BytesIO(text.encode())
    file.name = name
    return file


def text_of(answer: object) -> str:
    return b"".join(answer).decode() if hasattr(answer, "__iter__") else ""


def test_from_a_file_to_the_last_recipient(
    acme: Sender, client: Client, gateway: GatewayProcess
) -> None:
    home = f"/accounts/{acme.wallet.slug}/campaigns/"
    assert "No campaigns yet" in client.get(home).content.decode()
    rows = "\n".join([*numbers(6), "nobody", numbers(1)[0]])
    answer = client.post(
        f"{home}new/",
        {"name": "Autumn", "template": acme.template.pk, "file": file_of(rows)},
    )
    campaign = Campaign.objects.get()
    page = f"{home}{campaign.pk}/"
    assert answer["Location"] == page
    assert "Reading the file" in client.get(page).content.decode()
    runner.run(campaign.job_id or 0)
    shown = client.get(page).content.decode()
    assert "Send 6 messages" in shown
    assert "Duplicate of row 1" in shown
    assert "nobody" in shown
    assert client.post(f"{page}send/")["Location"] == page
    work(campaign)
    shown = client.get(page).content.decode()
    assert "Awaiting reports" in shown
    assert client.get(f"{page}?show=waiting").status_code == 200
    assert "1,200" not in shown


def test_a_form_that_lacks_something_says_what_and_keeps_nothing(
    acme: Sender, client: Client
) -> None:
    url = f"/accounts/{acme.wallet.slug}/campaigns/new/"
    answer = client.post(url, {"name": "A", "template": acme.template.pk})
    assert answer.status_code == 422
    assert "Choose a file first." in answer.content.decode()
    bad = {"name": "A", "template": acme.template.pk, "file": file_of("x", "a.exe")}
    assert "neither CSV nor XLSX" in client.post(url, bad).content.decode()
    assert not Campaign.objects.exists()


def test_the_estimate_names_what_the_balance_allows(acme: Sender, client: Client) -> None:
    campaign = acme.draft(numbers(10))
    estimate = estimate_of(campaign)
    assert (estimate.least, estimate.most) == (10 * 450, 10 * DEAREST)
    assert (estimate.covers, estimate.missing) == (10, 0)
    balance = acme.shop.balance().bal
    from billing import wallet as commands

    acme.run(commands.move(acme.wallet.slug, "out:1", "debit", balance - 3 * DEAREST))
    estimate = estimate_of(campaign)
    assert (estimate.covers, estimate.missing) == (3, 7 * DEAREST)
    page = client.get(f"/accounts/{acme.wallet.slug}/campaigns/{campaign.pk}/")
    assert "3 of 10 messages" in page.content.decode()


def test_a_low_balance_is_said_with_the_way_on(
    acme: Sender, client: Client, gateway: GatewayProcess
) -> None:
    from billing import wallet as commands

    acme.run(commands.move(acme.wallet.slug, "out:1", "debit", acme.shop.balance().bal))
    campaign = send(acme.draft(numbers(4)))
    page = client.get(f"/accounts/{acme.wallet.slug}/campaigns/{campaign.pk}/").content.decode()
    assert "the balance is too low for the next message" in page
    assert "4 recipients are still waiting" in page
    assert "Continue" in page


def test_dropped_rows_and_results_are_csv_that_no_spreadsheet_runs(
    acme: Sender, client: Client, gateway: GatewayProcess
) -> None:
    campaign = acme.draft(["=cmd|' /C calc'!A0", *numbers(2)])
    base = f"/accounts/{acme.wallet.slug}/campaigns/{campaign.pk}/"
    dropped = text_of(client.get(f"{base}dropped/").streaming_content)
    assert "'=cmd" in dropped
    send(campaign)
    acme.persist()
    lines = text_of(client.get(f"{base}results/").streaming_content).splitlines()
    assert len(lines) == 3
    assert lines[1].split(",")[:4] == ["3", "+8613800130000", f"c{campaign.pk}-3", "Sent"]


def test_what_a_draft_says_of_its_time_is_kept_in_the_account_s_zone(
    acme: Sender, client: Client
) -> None:
    campaign = acme.draft(numbers(1))
    account = acme.wallet.account
    url = f"/accounts/{acme.wallet.slug}/campaigns/{campaign.pk}/"
    given = {
        "name": "Later",
        "template": acme.template.pk,
        "scheduled_at": "2099-01-01T08:00",
        "quiet_from": "21:00",
        "quiet_until": "08:00",
    }
    assert client.post(url, given).status_code == 302
    found = fresh(campaign)
    assert account.zone == "Asia/Shanghai"
    assert found.scheduled_at is not None
    assert found.scheduled_at.isoformat() == "2099-01-01T00:00:00+00:00"
    bad = client.post(url, {**given, "scheduled_at": "2001-01-01T08:00"})
    assert bad.status_code == 422
    assert "Enter a time in the future." in bad.content.decode()
    half = client.post(url, {**given, "quiet_until": ""})
    assert "Enter both the start and the end" in half.content.decode()


def test_opt_outs_are_added_and_taken_off(acme: Sender, client: Client) -> None:
    url = f"/accounts/{acme.wallet.slug}/opt-outs/"
    client.post(url, {"numbers": "138 0013 0000\n13800130001\n", "reason": "by phone"})
    assert OptOut.objects.count() == 2
    bad = client.post(url, {"numbers": "13800130002\nnobody"})
    assert "Not a phone number: nobody" in bad.content.decode()
    assert OptOut.objects.count() == 2
    first = OptOut.objects.get(number="+8613800130000")
    client.post(f"{url}{first.pk}/remove/", {"reason": ""})
    assert OptOut.objects.count() == 2
    client.post(f"{url}{first.pk}/remove/", {"reason": "asked to be back"})
    assert OptOut.objects.count() == 1
    assert "+8613800130001" in text_of(client.get(f"{url}export/").streaming_content)


def test_a_template_is_made_completed_and_fixed_once_it_was_sent(
    acme: Sender, client: Client, gateway: GatewayProcess
) -> None:
    home = f"/accounts/{acme.wallet.slug}/templates/"
    first = {"chatbot": acme.shop.chatbot.pk, "name": "Winter", "native_kind": "text"}
    assert client.post(f"{home}new/", {**first, "native_text": "Hi"}).status_code == 302
    made = Template.objects.get(name="Winter")
    assert "Incomplete" in client.get(f"{home}{made.pk}/").content.decode()
    whole = {
        **first,
        "native_text": "Hi",
        "yuexin_text": "Hi:",
        "yuexin_link": "https://shop.example.org/w",
        "link_registered": "on",
        "video_subject": "Hi",
        "video_kilobytes": "80",
    }
    assert client.post(f"{home}{made.pk}/", whole).status_code == 302
    made.refresh_from_db()
    assert (made.link_registered, missing_of(made)) == (True, [])
    send(acme.draft(numbers(1)))
    used = client.post(f"{home}{acme.template.pk}/", {**whole, "name": "Other"})
    assert used.status_code == 422
    assert "Create a new one instead" in used.content.decode()
    client.post(f"{home}{made.pk}/archive/")
    made.refresh_from_db()
    assert made.archived_at is not None
    client.get(home)  # shows and clears the notification
    assert (
        "Winter" not in client.get(f"/accounts/{acme.wallet.slug}/campaigns/new/").content.decode()
    )


def test_a_reader_gets_text_and_who_may_edit_instead_of_a_form(
    acme: Sender, client: Client
) -> None:
    user = user_create(username="payer", actor="test")
    membership_set(user=user, account=acme.wallet.account, roles=["payer"], actor="test")
    reader = Client()
    reader.force_login(User.objects.get(pk=user.pk))
    home = f"/accounts/{acme.wallet.slug}/"
    draft = acme.draft(numbers(3))
    for page in (
        f"campaigns/{draft.pk}/",
        f"templates/{draft.template_id}/",
        f"chatbots/{draft.chatbot.slug}/",
    ):
        shown = reader.get(f"{home}{page}").content.decode()
        assert "Owners, administrators and senders of the account" in shown
        assert 'name="name"' not in shown
        assert 'name="name"' in client.get(f"{home}{page}").content.decode()
    said = client.get(f"{home}campaigns/{draft.pk}/").context["send_words"]
    assert said.startswith(f"Sends “{draft.template.name}” to 3 recipients now. Costs ")
