"""Recipients from a file: accepted, or dropped with a reason, before anything is held."""

import pytest
from django.core.exceptions import ValidationError

from billing.models import DroppedRow, Recipient
from billing.services import campaigns_upload
from billing.services.campaigns_upload import recipients_upload
from billing.services.opt_outs import opt_outs_add
from poolsite.jobs import runner
from poolsite.jobs.models import Job
from tests.billing.campaigns.world import Sender, fresh, numbers, upload
from tests.numbers.import_world import xlsx_file


def dropped(campaign) -> dict[int, str]:
    return {row.row: row.reason for row in DroppedRow.objects.filter(campaign=campaign)}


def test_each_row_is_taken_or_dropped_with_its_reason(acme: Sender) -> None:
    opt_outs_add(actor="test", wallet=acme.wallet, texts=["138 0013 0002"], reason="by phone")
    text = (
        "name,mobile\nA,13800130000\nB,138-0013-0001\nC,+8613800130000\nD,008613800130002\n"
        "E,1380013OOOO\nF,\nG,12\nH,１３８００１３０００３\nI," + "1" * 40 + "\n,,\n"
    )
    found = upload(acme.empty(), text)
    taken = dict(Recipient.objects.filter(campaign=found).values_list("row", "number"))
    assert taken == {2: "+8613800130000", 3: "+8613800130001", 9: "+8613800130003"}
    assert dropped(found) == {
        4: "Duplicate of row 2",
        5: "Opted out",
        6: "Not a phone number",
        7: "Number is empty",
        8: "Wrong number length or country code",
        10: "Number is too long",
    }
    counts = (found.uploaded, found.dropped_duplicates, found.dropped_opt_outs)
    assert (*counts, found.dropped_invalid, found.accepted) == (9, 1, 1, 4, 3)
    assert not found.parts.exists()


def test_message_ids_name_campaign_and_row(acme: Sender) -> None:
    found = acme.draft(numbers(2))
    ids = list(found.recipients.order_by("row").values_list("message_id", flat=True))
    assert ids == [f"c{found.pk}-2", f"c{found.pk}-3"]


def test_a_sheet_is_read_like_a_csv(acme: Sender, tmp_path) -> None:
    path = xlsx_file(tmp_path, [["phone"], [13800130000.0], ["13800130001"]], "r.xlsx")
    found = upload(acme.empty(), path.read_bytes(), "r.xlsx")
    assert found.accepted == 2


def test_a_worker_that_dies_in_the_file_is_followed_by_one_that_goes_on(
    acme: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(campaigns_upload, "CHUNK", 7)
    text = "number\n" + "\n".join([*numbers(20), *numbers(6)]) + "\n"
    data = [text.encode()]
    found = recipients_upload(actor="test", campaign=acme.empty(), file_name="a.csv", data=data)
    real, calls = campaigns_upload.look_up, []

    def dies(values):
        calls.append(len(values))
        if len(calls) == 2:
            raise KeyboardInterrupt  # like a killed process: nothing is written after it
        return real(values)

    monkeypatch.setattr(campaigns_upload, "look_up", dies)
    with pytest.raises(KeyboardInterrupt):
        runner.run(found.job_id)
    assert fresh(found).uploaded == 7
    Job.objects.filter(pk=found.job_id).update(heartbeat_at="2026-01-01T00:00:00Z")
    runner.run(found.job_id)
    found = fresh(found)
    assert (found.uploaded, found.accepted, found.dropped_duplicates) == (26, 20, 6)
    assert dropped(found)[22] == "Duplicate of row 2"


def test_another_file_takes_the_place_of_the_first(acme: Sender) -> None:
    found = upload(acme.draft(numbers(5)), "13800130009\nx\n")
    assert (found.accepted, found.dropped_invalid, found.recipients.count()) == (1, 1, 1)


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("a.pdf", b"%PDF", "neither CSV nor XLSX"),
        ("a.csv", b"", "is empty"),
    ],
)
def test_what_is_no_file_of_rows_changes_nothing(acme: Sender, name, data, sentence) -> None:
    campaign = acme.draft(numbers(2))
    with pytest.raises(ValidationError, match=sentence):
        recipients_upload(actor="test", campaign=campaign, file_name=name, data=[data])
    assert fresh(campaign).recipients.count() == 2


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("a.csv", b"number\n", "no rows"),
        ("a.csv", b"\xff\xfe\x00\x81\x00", "neither UTF-8"),
        ("a.xlsx", b"PK\x03\x04 nothing", "not a readable XLSX workbook"),
        ("a.csv", b"1" * 70_000, "longer than"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(acme: Sender, name, data, sentence) -> None:
    found = upload(acme.empty(), data, name)
    assert sentence in found.status_reason
    assert (found.accepted, found.parts.count()) == (0, 0)


def test_a_foreign_tenant_cannot_upload(acme: Sender) -> None:
    from poolsite import access
    from tests.numbers.people import tenant

    campaign = acme.empty()
    with pytest.raises(access.Hidden):
        recipients_upload(
            actor=tenant("other").owner, campaign=campaign, file_name="a.csv", data=[b"1"]
        )
