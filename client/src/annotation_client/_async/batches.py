"""A study's batches: cutting, releasing, closing and drawing them."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation_client._async.base import AsyncStudyBase
from annotation_client.models import Batch


class AsyncBatches(AsyncStudyBase):
    """What is done with the batches of a study."""

    async def batches(self) -> list[Batch]:
        """All batches, in order."""
        return [Batch.model_validate(row) async for row in self._transport.rows(f"{self._path}/batches")]

    async def cut(self, items: int) -> list[Batch]:
        """Cut what is not released into drafts of at most so many items, in order; a task (HIT) stays whole."""
        reply = await self._transport.post(f"{self._path}/batches/cut", {"items": items})
        return [batch for batch in await self.batches() if batch.number in set(reply["numbers"])]

    async def release(self, batch_size: int | None = None, *, batches: int | None = None) -> list[Batch]:
        """Open the batches that are drafts, in order; those that were opened.

        Parameters
        ----------
        batch_size
            Cut what is not released into batches of at most so many items before (:meth:`cut`); otherwise they are as
            they were planned when the study was made (``questions_per_hit`` × ``hits_per_batch``).
        batches
            Open so many of them; otherwise all.
        """
        if batch_size is not None and any(batch.state == "draft" for batch in await self.batches()):
            await self.cut(batch_size)
        drafts = [batch for batch in await self.batches() if batch.state == "draft"]
        opened: list[Batch] = []
        for batch in drafts[:batches]:
            reply = await self._transport.post(f"{self._path}/batches/{batch.number}/open")
            opened.append(Batch.model_validate(reply))
        return opened

    async def close(self, number: int | None = None, *, when: str = "now") -> None:
        """Close a batch, or all that are open; ``when="finished"``: those at work may finish first."""
        states = {batch.number: batch.state for batch in await self.batches()}
        for each in states if number is None else [number]:
            if states.get(each, "open") == "open":  # of one that there is not, the platform says so
                await self._transport.post(f"{self._path}/batches/{each}/close", {"when": when})

    async def draw_plan(
        self, n: int | None = None, *, run: int | None = None, floor_percent: int | None = None
    ) -> dict[str, Any]:
        """How many tasks can be drawn, by which runs' uncertainty, and (``n``) what a draw would do."""
        found: dict[str, Any] = await self._transport.get(
            f"{self._path}/draw", n=n, run=run, floor_percent=floor_percent
        )
        return found

    async def draw(self, n: int, *, run: int | None = None, floor_percent: int = 30) -> Batch:
        """Draw so many tasks into a new batch, which is open: by chance, or by how uncertain a run is about them."""
        body = {"n": n, "run": run, "floor_percent": floor_percent}
        return Batch.model_validate(await self._transport.post(f"{self._path}/draw", body))

    async def declare_mirrors(self, rows: Sequence[Mapping[str, str]], *, shared_with: str | None = None) -> int:
        """Declare which items mirror each other (``article``, ``question``, ``system``, ``group``); how many do."""
        body = {"rows": [dict(row) for row in rows], "shared_with": shared_with}
        return int((await self._transport.change(f"{self._path}/mirrors", body, method="PUT"))["items"])
