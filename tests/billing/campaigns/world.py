"""An account that can send campaigns, files as people upload them, and a gateway for sending."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from billing import servers
from billing import wallet as commands
from billing.models import Campaign, Template, Wallet
from billing.persistence.running import persist_one
from billing.services.campaigns import campaign_create, campaign_send
from billing.services.campaigns_upload import recipients_upload
from billing.services.templates import template_create
from poolsite.jobs import runner
from tests.billing.api.shop import Shop, make_shop
from tests.house.source import ROOT
from tests.support.ports import free_port
from tests.support.waiting import patient, until

TOKEN = "a token of tests"
DEAREST = 2_000  # a card below 50 kB, by the shop's prices


@dataclass(frozen=True)
class Sender:
    """An account with a complete template."""

    shop: Shop
    template: Template

    @property
    def wallet(self) -> Wallet:
        return self.shop.wallet

    def draft(self, numbers: Iterable[str], name: str = "Autumn") -> Campaign:
        """Return a campaign whose file was read."""
        campaign = self.empty(name)
        text = "number\n" + "\n".join(numbers) + "\n"
        return upload(campaign, text)

    def empty(self, name: str = "Autumn") -> Campaign:
        return campaign_create(actor="test", wallet=self.wallet, template=self.template, name=name)

    def run(self, command: Any) -> Any:
        return servers.path(self.wallet).run(command)

    def state_of(self, message_id: str) -> str:
        found = self.run(commands.message(self.wallet.slug, message_id))
        return "" if found is None else str(found.state)

    def persist(self) -> None:
        """Persist everything to the books."""
        persist_one(Wallet.objects.select_related("account").get(pk=self.wallet.pk))


def sender(slug: str = "acme", **given: Any) -> Sender:
    """Make an account with money, a tariff, a chatbot and a complete template."""
    shop = make_shop(slug, **given)
    template = template_create(
        actor="test",
        chatbot=shop.chatbot,
        name="Voucher",
        native_kind="card",
        native_text="Your voucher",
        card_kilobytes=40,
        yuexin_text="Your voucher:",
        yuexin_link="https://shop.example.org/v",
        link_registered=True,
        video_subject="Your voucher",
        video_kilobytes=90,
    )
    return Sender(shop, template)


def numbers(count: int, digit: int = 0, first: int = 1_380_013_000) -> list[str]:
    """Return mobile numbers that end with `digit`, by which the simulated gateway decides."""
    return [f"+86{first + place}{digit}" for place in range(count)]


def upload(campaign: Campaign, text: str | bytes, name: str = "recipients.csv") -> Campaign:
    """Upload a file and read it immediately."""
    data = text.encode() if isinstance(text, str) else text
    found = recipients_upload(actor="test", campaign=campaign, file_name=name, data=[data])
    runner.run(found.job_id or 0)
    return fresh(found)


def fresh(campaign: Campaign) -> Campaign:
    rows = Campaign.objects.select_related("wallet__account", "template", "chatbot", "job")
    return rows.get(pk=campaign.pk)


def send(campaign: Campaign) -> Campaign:
    """Start a campaign and work until none of its jobs is left."""
    return work(campaign_send(actor="test", campaign=campaign))


def work(campaign: Campaign) -> Campaign:
    """Run the campaign's jobs, slice by slice, as a worker does."""
    for _slice in range(100):
        found = fresh(campaign)
        if found.job is None or found.job.ended:
            return found
        runner.run(found.job.pk)
    raise AssertionError("it never ends")


@dataclass
class GatewayProcess:
    """The simulated gateway as a separate process. Its reports go to `platform`."""

    folder: Path
    platform: str
    arguments: tuple[str, ...] = ()
    port: int = field(default_factory=free_port)
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> "GatewayProcess":
        config = self.folder / "simulation.json"
        config.write_text(json.dumps({"gateway": {"report_token": "reports", "token": TOKEN}}))
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "integrations.simulator.gateway", "--config", str(config)),
                *("--port", str(self.port), "--url", self.platform),
                *("--ledger", str(self.folder / "ledger.jsonl"), *self.arguments),
            ],
            cwd=ROOT,
            env={**os.environ, "POOLSITE_GATEWAY_TOKEN": TOKEN},
        )
        until(self.answers, 60)
        return self

    def answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/healthz", timeout=patient(2)).is_success
        except httpx.HTTPError:
            return False

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def get(self, path: str) -> Any:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        return httpx.get(f"{self.url}{path}", headers=headers, timeout=patient(10)).json()

    def rows(self, account: str = "") -> dict[str, dict[str, Any]]:
        """Return the ledger by message ID."""
        found = self.get(f"/ledger?account={account}&limit=10000")["rows"]
        return {row["message_id"]: row for row in found}

    @property
    def repeats(self) -> int:
        """Return how often a message was handed over again."""
        return int(self.get("/ledger/summary")["repeats"])
