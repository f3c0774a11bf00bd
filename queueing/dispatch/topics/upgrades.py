"""`dispatch.upgrade:<id>`: the progress of an upgrade; in another language `….zh-hans`."""

from typing import Any

from django.utils.translation import override

from poolsite import access, live
from poolsite.live.scopes import id_of, language_of
from queueing.dispatch.models import Upgrade
from queueing.dispatch.selectors import upgrade_out

CLOCK_SECONDS = 1.0


@live.register
class UpgradeTopic(live.SnapshotTopic):
    """The fields of `selectors.upgrade_out`, or empty if the group was deleted."""

    name = "dispatch.upgrade"

    def __init__(self, key: str) -> None:
        super().__init__(key)
        number, self._language = language_of(key)
        self._id = id_of(number, "upgrade")

    async def allowed(self, principal: access.Principal) -> access.Decision:
        if not principal.is_authenticated:
            return access.Decision.LOGIN
        upgrade = await live.in_thread(self._find)
        if upgrade is None:
            return access.Decision.HIDDEN
        return access.decide(principal, "dispatch.view", upgrade)

    async def read(self) -> dict[str, Any]:
        return await live.in_thread(self._read)

    def wake_channels(self) -> list[str]:
        """Return one channel for all languages."""
        return [live.touch_channel(f"{self.name}:{self._id}")]

    def _find(self) -> Upgrade | None:
        rows = Upgrade.objects.select_related("group__account")
        return rows.filter(pk=self._id, group__deleted_at=None).first()

    def _read(self) -> dict[str, Any]:
        upgrade = self._find()
        with override(self._language):
            return {} if upgrade is None else upgrade_out(upgrade)

    def due_seconds(self) -> float | None:
        return CLOCK_SECONDS
