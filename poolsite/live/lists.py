"""Tables of an account's aggregates, with a row of figures for each, whatever their kind."""

import asyncio
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from django.db.models import Model

from poolsite import hotpath
from poolsite.live.scopes import AccountTopic
from poolsite.live.sql import in_thread
from poolsite.live.topics import RowsTopic

LIST_SECONDS = 0.5
NAMES_SECONDS = 2.0


class AggregateListTopic(AccountTopic, RowsTopic):
    """Every aggregate of an account, or of the platform and all accounts: slug → name and figures.

    Subclasses name the model and the action that allows watching, and implement two methods.
    """

    model: ClassVar[type[Model]]

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self._names: dict[str, str] = {}
        self._named_at = float("-inf")

    @abstractmethod
    def show(self, slug: str) -> hotpath.Command[Any]:
        """Return the command that reads one aggregate's figures."""

    @abstractmethod
    def figures(self, found: Any) -> dict[str, Any]:
        """Return the figures for pages from the command's result."""

    async def read(self) -> dict[str, Any]:
        now = asyncio.get_running_loop().time()
        if now - self._named_at > NAMES_SECONDS:
            self._names = await in_thread(self._read_names)
            self._named_at = now
        found: Sequence[Any] = await hotpath.arun_batch([self.show(slug) for slug in self._names])
        rows = {}
        for (slug, name), figures in zip(self._names.items(), found, strict=True):
            if isinstance(figures, hotpath.HotPathError):
                raise figures
            rows[slug] = {"name": name, **self.figures(figures)}
        return rows

    def _read_names(self) -> dict[str, str]:
        rows: Any = self.model._default_manager.order_by("slug")  # each model has its account
        if self.account_id is not None:
            rows = rows.filter(account_id=self.account_id)
        return dict(rows.values_list("slug", "name"))

    def due_seconds(self) -> float | None:
        return LIST_SECONDS
