"""`billing.campaign:<wallet's slug>.<id>`: a campaign's progress, exact to message and unit."""

import asyncio
import re
from typing import Any

from billing import wallet as commands
from billing.campaigns.figures import CampaignFigures
from billing.models import Campaign, Wallet
from billing.selectors.campaigns import figures_in_books
from billing.topics.scope import WalletTopicBase
from poolsite import access, live
from poolsite.live import version_of
from poolsite.live.tail import version_at

_KEY = re.compile(r"([a-z0-9-]{1,40})\.([0-9]{1,18})")
_MESSAGE = re.compile(r"c([0-9]{1,18})-[0-9]+(?:-[0-9]+)?")
LOOK_SECONDS = 1.0  # least time between reads of SQL; large campaigns are read less often
PAGE_ENTRIES = 500
PAGES = 200  # at the first read, if the books are far behind
SHARE = 20  # reads take at most 1/SHARE of the time


@live.register
class CampaignTopic(WalletTopicBase):
    """The state: `status`, `reason`, `reading` (and the number of rows), and `figures`.

    SQL's figures are those of the wallet's last persistence. Later entries of the wallet's stream
    are added, so that the counts move with the balance. A change is the new state.
    """

    name = "billing.campaign"

    def __init__(self, key: str) -> None:
        found = _KEY.fullmatch(key)
        if found is None:
            raise ValueError(f"not a campaign: {key!r}")
        super().__init__(found[1])
        self.key = key
        self.campaign_id = int(found[2])
        self._state: dict[str, Any] = {}
        self._base: CampaignFigures | None = None
        self._base_at = (0, 0)  # generation and sequence number of the last persistence
        self._base_version = 0
        self._told: tuple[CampaignFigures, int] | None = None
        self._look_at = 0.0
        self._moving = True

    async def allowed(self, principal: access.Principal) -> access.Decision:
        decision = await super().allowed(principal)
        if decision and not await live.in_thread(_exists, self.slug, self.campaign_id):
            return access.Decision.HIDDEN
        return decision

    def wake_channels(self) -> list[str]:
        return [self.keys.wake_channel, live.touch_channel(self.address)]

    def due_seconds(self) -> float | None:
        return LOOK_SECONDS if self._moving else None

    async def snapshot(self) -> live.Snapshot:
        await self._look()
        self._state = await self._now()
        return live.Snapshot(version_of(self._state), self._state)

    async def changes(self, since: int) -> live.Changes | None:
        now = await self.snapshot()
        return live.Changes(now.version, None if now.version == since else now.data)

    async def _look(self) -> None:
        """Read SQL again if it is time; a status that a person changed is read at once."""
        clock = asyncio.get_running_loop().time
        began = clock()
        await self.ref()
        facts = await live.in_thread(_facts, self.campaign_id)
        self._moving = facts["status"] in ("sending", "sent") or facts["reading"]
        if self._base is None or began >= self._look_at or facts != self._facts:
            self._base, self._base_at = await live.in_thread(_books, self.campaign_id)
            self._base_version = version_at(*self._base_at)
            self._look_at = clock() + max(LOOK_SECONDS, SHARE * (clock() - began))
        self._facts = facts

    _facts: dict[str, Any] = {}

    async def _now(self) -> dict[str, Any]:
        tail = self.tail()
        await tail.read()
        figures, version = self._base or CampaignFigures(), self._base_version
        entries = tail.since(version)
        if entries is None and self._told is not None:  # the books are far behind
            figures, version = self._told
            entries = tail.since(version)
        if entries is None:
            figures, version = await self._caught_up()
            entries = tail.since(version)
        if entries is not None:
            changes = (commands.read_entry(entry.seq, entry.fields) for entry in entries)
            figures = figures.after(each for each in changes if self._is_mine(each.id))
            self._told = figures, tail.version
        return {**self._facts, "figures": figures.as_data()}

    async def _caught_up(self) -> tuple[CampaignFigures, int]:
        """Return the books plus later entries of the stream, page by page, and where they end."""
        figures, (generation, seq) = self._base or CampaignFigures(), self._base_at
        for _page in range(PAGES):
            found: Any = await self.path().arun(commands.entries(self.slug, seq, PAGE_ENTRIES))
            if found is None or found.generation != generation or not found.changes:
                break
            if found.changes[0].seq != seq + 1:  # trimmed: SQL has more by now
                break
            figures = figures.after(each for each in found.changes if self._is_mine(each.id))
            seq = found.changes[-1].seq
        return figures, version_at(generation, seq)

    def _is_mine(self, message_id: str) -> bool:
        found = _MESSAGE.fullmatch(message_id)
        return found is not None and int(found[1]) == self.campaign_id


def _exists(slug: str, campaign_id: int) -> bool:
    return Campaign.objects.filter(pk=campaign_id, wallet__account__slug=slug).exists()


def _facts(campaign_id: int) -> dict[str, Any]:
    found = Campaign.objects.select_related("job").filter(pk=campaign_id).first()
    if found is None:
        return {"status": "deleted", "reason": "", "reading": False, "uploaded": 0, "dropped": 0}
    return {
        "status": found.status,
        "reason": found.status_reason,
        "reading": found.is_reading,
        "uploaded": found.uploaded,
        "dropped": found.dropped,
    }


def _books(campaign_id: int) -> tuple[CampaignFigures, tuple[int, int]]:
    """Return SQL's figures, and the generation and last entry of the wallet that they include."""
    campaign = Campaign.objects.filter(pk=campaign_id).first()
    if campaign is None:
        return CampaignFigures(), (0, 0)
    for _attempt in range(3):
        before = _persisted(campaign.wallet_id)
        figures = figures_in_books(campaign)
        if _persisted(campaign.wallet_id) == before:
            break
    return figures, before


def _persisted(wallet_id: int) -> tuple[int, int]:
    return Wallet.objects.values_list("generation", "seq").get(pk=wallet_id)
