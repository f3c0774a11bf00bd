"""`manage.py wallet`: the API's operations as verbs, with the rights of the named user."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from billing.management.api_verbs import LOG_IN_ONLY, verbs
from billing.models import Campaign, Tariff, Wallet
from billing.persistence.running import persist_one
from poolsite.access.models import AuditEntry, User
from tests.billing.api.book_keepers import Office
from tests.billing.api.test_sending_api import COMPLETE, CSV
from tests.billing.campaigns.world import work


def run(*words: str, who: str = "owner") -> Any:
    out = io.StringIO()
    call_command("wallet", *words, "--as", who, stdout=out)
    said = out.getvalue().strip()
    return said if said == "Done." else json.loads(said)


def test_every_operation_behind_django_is_a_verb_but_the_approval() -> None:
    names = {verb.name for verb in verbs()}
    assert {"list-wallets", "list-messages", "create-tariff", "send-campaign"} <= names
    assert len(names) > 60
    assert {name.replace("_", "-") for name in LOG_IN_ONLY} & names == set()


def test_lists_take_the_filters_of_the_api(office: Office) -> None:
    assert [row["account"] for row in run("list-wallets")["data"]] == ["acme"]
    assert run("list-messages", "acme", "state=sent", "limit=5") == {"data": [], "next": None}
    assert run("get-wallet", "acme")["spendable"] == "100.0000"
    with pytest.raises(CommandError, match="malformed"):
        run("list-messages", "acme", "odd=1")
    with pytest.raises(CommandError, match="unknown-account"):
        run("list-messages", "acme", who="stranger")


def test_fields_are_text_numbers_json_and_files(office: Office, tmp_path: Path) -> None:
    template = run("create-template", "acme", *(f"{k}={_told(v)}" for k, v in COMPLETE.items()))
    path = tmp_path / "numbers.csv"
    path.write_text(CSV)
    given = ("name=5", f"template={template['id']}", f"recipients=@{path}")
    made = run("create-campaign", "acme", *given, who="sender")
    assert (made["name"], made["reading"]) == ("5", True)
    assert Campaign.objects.get().created_by == "sender (manage.py wallet)"
    prices = json.dumps({"video": {"unit_price": "0.5"}})
    when = "valid_from=2099-01-01T00:00:00+08:00"
    run("create-tariff", "acme", "name=Far", f"prices={prices}", when, who="olga")
    assert Tariff.objects.get(name="Far").prices == {"video": {"unit_price": 5_000}}
    work(Campaign.objects.get(pk=made["id"]))
    assert run("delete-campaign", "acme", str(made["id"])) == "Done."


def test_a_file_is_saved_and_never_written_over(
    office: Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    persist_one(Wallet.objects.select_related("account").get(pk=office.shop.wallet.pk))
    for kind, start in (("csv", b"\xef\xbb\xbfat,"), ("pdf", b"%PDF-")):
        name = f"statement-acme-2026-01.{kind}"
        words = (f"get-statement-{kind}", "acme", "2026-01")
        out = io.StringIO()
        call_command("wallet", *words, "--as", "owner", stdout=out)
        assert out.getvalue() == f"Saved {name}.\n"
        assert (tmp_path / name).read_bytes().startswith(start)
        with pytest.raises(CommandError, match="exists"):
            run(*words)
    with pytest.raises(CommandError, match="unknown-account"):
        run("get-statement-csv", "acme", "2026-01", who="stranger")


def _told(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def test_the_rights_are_those_of_the_user_and_the_log_names_the_command(office: Office) -> None:
    given = ("kind=credit", "amount=5", "reason=Goodwill")
    with pytest.raises(CommandError, match="forbidden"):
        run("create-adjustment", "acme", *given)
    made = run("create-adjustment", "acme", *given, who="olga")
    assert (made["state"], made["requested_by"]) == ("waiting", "olga")
    entry = AuditEntry.objects.get(action="billing.adjustment_ask")
    assert entry.actor_name == "olga (manage.py wallet)"
    with pytest.raises(CommandError, match="invalid choice"):
        run("approve-adjustment", "acme", str(made["id"]), who="omar")
    assert run("freeze-wallet", "acme", "reason=Check", who="olga")["status"] == "frozen"
    assert office.shop.balance().status == "frozen"
    User.objects.filter(username="olga").update(is_active=False)
    for who in ("olga", "nobody"):
        with pytest.raises(CommandError, match="not found"):
            run("unfreeze-wallet", "acme", "reason=x", who=who)
    with pytest.raises(CommandError, match="field=value"):
        run("unfreeze-wallet", "acme", "reason", who="omar")
