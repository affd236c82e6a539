"""A study: releasing its batches, waiting, its judgments and figures, runs and exports."""

import time
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from annotation_client._async.base import POLL, pause_until
from annotation_client._async.batches import AsyncBatches
from annotation_client._async.checks import AsyncChecks
from annotation_client._async.crowd import AsyncCrowd
from annotation_client._async.pay import AsyncPay
from annotation_client._async.people import AsyncPeople
from annotation_client._async.prolific import AsyncProlific
from annotation_client._async.releases import AsyncReleasing
from annotation_client._async.rounds import AsyncRounds
from annotation_client._async.rows import AsyncRows
from annotation_client._async.schemes import AsyncSchemeVersions
from annotation_client._async.score_destinations import AsyncScoreDestinations
from annotation_client._async.scoring import AsyncScoring
from annotation_client._async.talk import AsyncTalk
from annotation_client._async.transport import PAGE, AsyncTransport
from annotation_client._async.webhooks import AsyncWebhooks
from annotation_client.archives import check_sum
from annotation_client.models import (
    Agreement,
    Export,
    Figure,
    Figures,
    Run,
    Snapshot,
    SnapshotChanges,
    StudyRecord,
)
from annotation_client.progress import Told, shown
from annotation_client.sending import in_address


class AsyncStudy(AsyncBatches, AsyncReleasing, AsyncPeople):
    """One study. ``record`` is what the platform said of it last."""

    def __init__(self, transport: AsyncTransport, record: StudyRecord) -> None:
        super().__init__(transport, record)
        self.crowd = AsyncCrowd(transport, self._path)
        self.rounds = AsyncRounds(transport, self._path)
        self.scoring = AsyncScoring(transport, self._path)
        self.pay = AsyncPay(transport, self._path)
        self.checks = AsyncChecks(transport, self._path)
        self.prolific = AsyncProlific(transport, self._path)
        self.scheme = AsyncSchemeVersions(transport, self._path)
        self.talk = AsyncTalk(transport, self._path)
        self.webhooks = AsyncWebhooks(transport, self._path)
        self.score_destinations = AsyncScoreDestinations(transport, self._path)

    # Settings

    async def change(self, **settings: Any) -> None:
        """Change settings (``overlap=5``, ``name="…"``), whatever somebody else changed meanwhile in others of them."""
        self.record = StudyRecord.model_validate(await self._transport.change(self._path, settings))

    async def archive(self) -> None:
        """Take it out of the lists; for its admins."""
        await self._transport.post(f"{self._path}/archive")

    async def restore(self) -> None:
        """Bring it back from the archive; for its admins."""
        await self._transport.post(f"{self._path}/restore")

    async def delete(self, *, typed_name: str) -> None:
        """Delete it with all its judgments; for its admins, who write its name once more. There is no undo."""
        await self._transport.ask("DELETE", self._path, json={"name": typed_name})

    async def judgment_schema(self) -> dict[str, Any]:
        """The JSON Schema of one judgment."""
        schema: dict[str, Any] = await self._transport.get(f"{self._path}/judgment-schema")
        return schema

    async def wait(
        self, *, progress: bool | Told = True, measured: bool = True, poll: float = POLL, timeout: float | None = None
    ) -> None:
        """Wait until no batch is open, and (``measured``) until the figures are those of all judgments.

        Where the scheme rescales, judgments without scores are in no figure: closed batches are waited for until they
        are scored, but not once a run has failed or paused.

        Parameters
        ----------
        progress
            A bar on standard error, nothing, or a function of what is submitted and of how much.
        timeout
            Seconds; None: for ever.

        Raises
        ------
        WaitedTooLongError
            When that takes longer than ``timeout``.
        """
        end = None if timeout is None else time.monotonic() + timeout
        with shown(progress, self.record.name) as told:
            while True:
                begun = [each for each in await self.batches() if each.state != "draft"]
                told(sum(each.submitted for each in begun), sum(each.places for each in begun))
                if all(each.state != "open" for each in begun):
                    break
                await pause_until(poll, end)
        if measured:
            if (await self.scheme.definition()).get("rescale"):
                while await self._awaits_scores():
                    await pause_until(poll, end)
            await self.measure(progress=False, poll=poll, timeout=None if end is None else end - time.monotonic())

    async def _awaits_scores(self) -> bool:
        rescaled = next((run for run in await self.runs() if run.method == "ebr"), None)
        if rescaled is not None and rescaled.state in ("failed", "paused"):
            return False
        return any(each.state == "closed" for each in await self.batches())

    # What was judged

    def items(self) -> AsyncRows:
        """The items with the systems that annotators do not see."""
        return AsyncRows(self._transport, f"{self._path}/items")

    async def item(self, pk: int) -> dict[str, Any]:
        """One item with all ``judgments`` of it, and what each of ``runs`` found, as the explorer's page has it."""
        found: dict[str, Any] = await self._transport.get(f"{self._path}/items/{pk}")
        return found

    async def search(self, *, limit: int = PAGE, **filters: Any) -> AsyncIterator[dict[str, Any]]:
        """Items found as on the explorer's page, page by page as they are read.

        Parameters
        ----------
        filters
            ``q``, ``said``, ``aspect``, ``label``, ``theme``, ``system``, ``annotator``, ``flag``, ``seen``, ``sort``.
        """
        async for row in self._transport.rows(f"{self._path}/items/search", **{"limit": limit, **filters}):
            yield row

    def judgments(self, *, which: str = "closed") -> AsyncRows:
        """The judgments that count of closed batches; ``current``: of open ones, too; ``all``: with earlier ones."""
        return AsyncRows(self._transport, f"{self._path}/judgments", which=which)

    def assignments(self) -> AsyncRows:
        """The places of tasks, and who has them."""
        return AsyncRows(self._transport, f"{self._path}/assignments")

    # Figures

    async def measure(
        self, *, progress: bool | Told = True, poll: float = POLL, timeout: float | None = None
    ) -> Snapshot:
        """Have the closed batches measured, and wait for it; the same data give the snapshot that is there."""
        job = await self._transport.post(f"{self._path}/snapshots")
        await self.wait_for(job["address"], progress=progress, poll=poll, timeout=timeout)
        return (await self.snapshots())[0]

    async def snapshots(self) -> list[Snapshot]:
        """All snapshots, the newest first."""
        return [Snapshot.model_validate(row) async for row in self._transport.rows(f"{self._path}/snapshots")]

    async def compare_snapshots(
        self, pk: int, *, since: int | None = None, aspect: str | None = None
    ) -> SnapshotChanges:
        """What moved between a snapshot and an earlier one (``since``; otherwise the one before), figure by figure.

        ``differs`` says what the two rest on; ``headline`` has α and τ of each aspect, ``figures`` all that differ of
        one: ``then``, ``now`` and ``change``, with ``then_low``, ``then_high``, ``now_low``, ``now_high``.
        """
        path = f"{self._path}/snapshots/{pk}/changes"
        return SnapshotChanges.model_validate(await self._transport.get(path, **{"with": since, "aspect": aspect}))

    async def sections(self) -> dict[str, str]:
        """The kinds of figures there are: name → title."""
        reply = await self._transport.get(f"{self._path}/figures")
        return {each["section"]: each["title"] for each in reply["sections"]}

    async def figures(self, section: str, *, aspect: str | None = None, snapshot: int | None = None) -> Figures:
        """The figures of one kind, with their tables and where they come from; of the newest snapshot or of another."""
        reply = await self._transport.get(
            f"{self._path}/figures/{in_address(section)}", aspect=aspect, snapshot=snapshot
        )
        return Figures.model_validate(reply)

    async def chart(
        self, aspect: str, name: str, to: str | Path, *, snapshot: int | None = None, scheme: str = "light"
    ) -> Path:
        """One chart, by a name that a table of :meth:`figures` has in ``charts``.

        Parameters
        ----------
        to
            A file, whose ending says what it is to be: ``.svg``, ``.png``, ``.json`` (Vega-Lite) or ``.csv``.
        scheme
            Colours: ``light`` or ``dark``.
        """
        target = Path(to)
        asked = {"kind": target.suffix.lstrip(".").lower(), "scheme": scheme}
        if snapshot is not None:
            asked["snapshot"] = str(snapshot)
        where = f"{self._path}/charts/{in_address(aspect)}/{in_address(name)}"
        return await self._transport.download(f"{where}?{urlencode(asked)}", target)

    async def agreement(self, aspect: str, *, snapshot: int | None = None) -> Agreement:
        """Krippendorff's α of an aspect with its interval, n, and where it comes from.

        Raises
        ------
        NotThereError
            When nothing has been measured, or there is no such aspect.
        """
        found = await self.figures("krippendorff_alpha", aspect=aspect, snapshot=snapshot)
        result = next(each for each in found.results if each["aspect"] == aspect)
        raw, rescaled = result["figures"]["raw"], result["figures"]["rescaled"]
        return Agreement(
            aspect=aspect,
            title=result["title"],
            level=result["level"],
            raw=Figure.model_validate(raw),
            rescaled=Figure.model_validate(rescaled) if rescaled else None,
            snapshot=found.snapshot,
        )

    # Runs

    async def prompts(
        self, method: str, *, scorer: str | None = None, parameters: Mapping[str, Any] | None = None, item: int = 1
    ) -> dict[str, Any]:
        """The exact messages that such a run would send about one item (its place in the study); nothing is sent."""
        body = {"scorer": scorer, "parameters": dict(parameters or {}), "item": item}
        found: dict[str, Any] = await self._transport.post(f"{self._path}/methods/{in_address(method)}/prompts", body)
        return found

    async def methods(self) -> list[dict[str, Any]]:
        """The methods of scoring, with the JSON Schema of what each takes."""
        reply = await self._transport.get(f"{self._path}/methods")
        found: list[dict[str, Any]] = reply["results"] if isinstance(reply, dict) else reply
        return found

    async def runs(self) -> list[Run]:
        """All scoring runs, the newest first."""
        return [Run.model_validate(row) async for row in self._transport.rows(f"{self._path}/runs")]

    async def start_run(
        self,
        method: str,
        *,
        scorer: str | None = None,
        parameters: Mapping[str, Any] | None = None,
        budget: float | None = None,
        estimate: bool = False,
    ) -> Run:
        """Start a run; ``estimate``: it asks about a few items, says what all would cost, and pauses."""
        body = {"method": method, "scorer": scorer, "parameters": dict(parameters or {}), "estimate": estimate}
        if budget is not None:
            body["budget"] = str(budget)
        job = await self._transport.post(f"{self._path}/runs", body)
        return Run.model_validate(await self._transport.get(job["resource"]))

    async def run(self, pk: int) -> Run:
        """One run, as it is now."""
        return Run.model_validate(await self._transport.get(f"{self._path}/runs/{pk}"))

    async def pause_run(self, pk: int) -> None:
        """Stop a run; what came is kept."""
        await self._transport.post(f"{self._path}/runs/{pk}/pause")

    async def resume_run(self, pk: int, *, budget: float | None = None, without_budget: bool = False) -> None:
        """Let a run go on, up to another budget if there is one, or without any."""
        body: dict[str, Any] = {} if budget is None else {"budget": str(budget)}
        if without_budget:
            body = {"budget": None}
        await self._transport.post(f"{self._path}/runs/{pk}/resume", body)

    async def stop_run(self, pk: int) -> None:
        """End a run at once; the replies that it got are kept."""
        await self._transport.post(f"{self._path}/runs/{pk}/stop")

    async def choose_run(self, pk: int) -> None:
        """Have the figures use this finished run instead of the newest; they are measured anew."""
        await self._transport.post(f"{self._path}/runs/{pk}/choose")

    # Files

    async def export(
        self, to: str | Path, *, format: str = "", all_revisions: bool = False, poll: float = POLL
    ) -> Export:
        """Write all judgments of closed batches into a file, whose ending says the format; for the study's admins.

        Raises
        ------
        ReleaseDiffersError
            When what came has another SHA-256 than what was sent.
        """
        target = Path(to)
        asked = {"format": format or target.suffix.lstrip(".").lower(), "all_revisions": all_revisions}
        job = await self._transport.post(f"{self._path}/exports", asked)
        done = await self.wait_for(job["address"], progress=False, poll=poll)
        export = Export.model_validate(await self._transport.get(done.resource or ""))
        await self._transport.download(export.file or "", target)
        check_sum(target, export.sha256)
        return export

    async def paper_bundle(self, to: str | Path, *, poll: float = POLL) -> Path:
        """Every chart and table of the newest snapshot as a ZIP file; the one that is there already is given again.

        Raises
        ------
        ReleaseDiffersError
            When what came has another SHA-256 than what was sent.
        """
        target = Path(to)
        job = await self._transport.post(f"{self._path}/bundles")
        done = await self.wait_for(job["address"], progress=False, poll=poll)
        await self._transport.download(done.result or "", target)
        async for bundle in self._transport.rows(f"{self._path}/bundles"):
            if bundle["file"] == done.result:
                check_sum(target, bundle["sha256"])
        return target
