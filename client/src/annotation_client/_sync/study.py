# Written by client/scripts/make_sync.py from "_async"; change that.
"""A study: releasing its batches, waiting, its judgments and figures, runs and exports."""

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from annotation_client._sync.base import POLL, pause_until
from annotation_client._sync.batches import Batches
from annotation_client._sync.checks import Checks
from annotation_client._sync.crowd import Crowd
from annotation_client._sync.pay import Pay
from annotation_client._sync.people import People
from annotation_client._sync.prolific import Prolific
from annotation_client._sync.releases import Releasing
from annotation_client._sync.rounds import Rounds
from annotation_client._sync.rows import Rows
from annotation_client._sync.schemes import SchemeVersions
from annotation_client._sync.score_destinations import ScoreDestinations
from annotation_client._sync.scoring import Scoring
from annotation_client._sync.talk import Talk
from annotation_client._sync.transport import PAGE, Transport
from annotation_client._sync.webhooks import Webhooks
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


class Study(Batches, Releasing, People):
    """One study. ``record`` is what the platform said of it last."""

    def __init__(self, transport: Transport, record: StudyRecord) -> None:
        super().__init__(transport, record)
        self.crowd = Crowd(transport, self._path)
        self.rounds = Rounds(transport, self._path)
        self.scoring = Scoring(transport, self._path)
        self.pay = Pay(transport, self._path)
        self.checks = Checks(transport, self._path)
        self.prolific = Prolific(transport, self._path)
        self.scheme = SchemeVersions(transport, self._path)
        self.talk = Talk(transport, self._path)
        self.webhooks = Webhooks(transport, self._path)
        self.score_destinations = ScoreDestinations(transport, self._path)

    # Settings

    def change(self, **settings: Any) -> None:
        """Change settings (``overlap=5``, ``name="…"``), whatever somebody else changed meanwhile in others of them."""
        self.record = StudyRecord.model_validate(self._transport.change(self._path, settings))

    def archive(self) -> None:
        """Take it out of the lists; for its admins."""
        self._transport.post(f"{self._path}/archive")

    def restore(self) -> None:
        """Bring it back from the archive; for its admins."""
        self._transport.post(f"{self._path}/restore")

    def delete(self, *, typed_name: str) -> None:
        """Delete it with all its judgments; for its admins, who write its name once more. There is no undo."""
        self._transport.ask("DELETE", self._path, json={"name": typed_name})

    def judgment_schema(self) -> dict[str, Any]:
        """The JSON Schema of one judgment."""
        schema: dict[str, Any] = self._transport.get(f"{self._path}/judgment-schema")
        return schema

    def wait(
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
                begun = [each for each in self.batches() if each.state != "draft"]
                told(sum(each.submitted for each in begun), sum(each.places for each in begun))
                if all(each.state != "open" for each in begun):
                    break
                pause_until(poll, end)
        if measured:
            if (self.scheme.definition()).get("rescale"):
                while self._awaits_scores():
                    pause_until(poll, end)
            self.measure(progress=False, poll=poll, timeout=None if end is None else end - time.monotonic())

    def _awaits_scores(self) -> bool:
        rescaled = next((run for run in self.runs() if run.method == "ebr"), None)
        if rescaled is not None and rescaled.state in ("failed", "paused"):
            return False
        return any(each.state == "closed" for each in self.batches())

    # What was judged

    def items(self) -> Rows:
        """The items with the systems that annotators do not see."""
        return Rows(self._transport, f"{self._path}/items")

    def item(self, pk: int) -> dict[str, Any]:
        """One item with all ``judgments`` of it, and what each of ``runs`` found, as the explorer's page has it."""
        found: dict[str, Any] = self._transport.get(f"{self._path}/items/{pk}")
        return found

    def search(self, *, limit: int = PAGE, **filters: Any) -> Iterator[dict[str, Any]]:
        """Items found as on the explorer's page, page by page as they are read.

        Parameters
        ----------
        filters
            ``q``, ``said``, ``aspect``, ``label``, ``theme``, ``system``, ``annotator``, ``flag``, ``seen``, ``sort``.
        """
        for row in self._transport.rows(f"{self._path}/items/search", **{"limit": limit, **filters}):
            yield row

    def judgments(self, *, which: str = "closed") -> Rows:
        """The judgments that count of closed batches; ``current``: of open ones, too; ``all``: with earlier ones."""
        return Rows(self._transport, f"{self._path}/judgments", which=which)

    def assignments(self) -> Rows:
        """The places of tasks, and who has them."""
        return Rows(self._transport, f"{self._path}/assignments")

    # Figures

    def measure(self, *, progress: bool | Told = True, poll: float = POLL, timeout: float | None = None) -> Snapshot:
        """Have the closed batches measured, and wait for it; the same data give the snapshot that is there."""
        job = self._transport.post(f"{self._path}/snapshots")
        self.wait_for(job["address"], progress=progress, poll=poll, timeout=timeout)
        return (self.snapshots())[0]

    def snapshots(self) -> list[Snapshot]:
        """All snapshots, the newest first."""
        return [Snapshot.model_validate(row) for row in self._transport.rows(f"{self._path}/snapshots")]

    def compare_snapshots(self, pk: int, *, since: int | None = None, aspect: str | None = None) -> SnapshotChanges:
        """What moved between a snapshot and an earlier one (``since``; otherwise the one before), figure by figure.

        ``differs`` says what the two rest on; ``headline`` has α and τ of each aspect, ``figures`` all that differ of
        one: ``then``, ``now`` and ``change``, with ``then_low``, ``then_high``, ``now_low``, ``now_high``.
        """
        path = f"{self._path}/snapshots/{pk}/changes"
        return SnapshotChanges.model_validate(self._transport.get(path, **{"with": since, "aspect": aspect}))

    def sections(self) -> dict[str, str]:
        """The kinds of figures there are: name → title."""
        reply = self._transport.get(f"{self._path}/figures")
        return {each["section"]: each["title"] for each in reply["sections"]}

    def figures(self, section: str, *, aspect: str | None = None, snapshot: int | None = None) -> Figures:
        """The figures of one kind, with their tables and where they come from; of the newest snapshot or of another."""
        reply = self._transport.get(f"{self._path}/figures/{in_address(section)}", aspect=aspect, snapshot=snapshot)
        return Figures.model_validate(reply)

    def chart(
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
        return self._transport.download(f"{where}?{urlencode(asked)}", target)

    def agreement(self, aspect: str, *, snapshot: int | None = None) -> Agreement:
        """Krippendorff's α of an aspect with its interval, n, and where it comes from.

        Raises
        ------
        NotThereError
            When nothing has been measured, or there is no such aspect.
        """
        found = self.figures("krippendorff_alpha", aspect=aspect, snapshot=snapshot)
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

    def prompts(
        self, method: str, *, scorer: str | None = None, parameters: Mapping[str, Any] | None = None, item: int = 1
    ) -> dict[str, Any]:
        """The exact messages that such a run would send about one item (its place in the study); nothing is sent."""
        body = {"scorer": scorer, "parameters": dict(parameters or {}), "item": item}
        found: dict[str, Any] = self._transport.post(f"{self._path}/methods/{in_address(method)}/prompts", body)
        return found

    def methods(self) -> list[dict[str, Any]]:
        """The methods of scoring, with the JSON Schema of what each takes."""
        reply = self._transport.get(f"{self._path}/methods")
        found: list[dict[str, Any]] = reply["results"] if isinstance(reply, dict) else reply
        return found

    def runs(self) -> list[Run]:
        """All scoring runs, the newest first."""
        return [Run.model_validate(row) for row in self._transport.rows(f"{self._path}/runs")]

    def start_run(
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
        job = self._transport.post(f"{self._path}/runs", body)
        return Run.model_validate(self._transport.get(job["resource"]))

    def run(self, pk: int) -> Run:
        """One run, as it is now."""
        return Run.model_validate(self._transport.get(f"{self._path}/runs/{pk}"))

    def pause_run(self, pk: int) -> None:
        """Stop a run; what came is kept."""
        self._transport.post(f"{self._path}/runs/{pk}/pause")

    def resume_run(self, pk: int, *, budget: float | None = None, without_budget: bool = False) -> None:
        """Let a run go on, up to another budget if there is one, or without any."""
        body: dict[str, Any] = {} if budget is None else {"budget": str(budget)}
        if without_budget:
            body = {"budget": None}
        self._transport.post(f"{self._path}/runs/{pk}/resume", body)

    def stop_run(self, pk: int) -> None:
        """End a run at once; the replies that it got are kept."""
        self._transport.post(f"{self._path}/runs/{pk}/stop")

    def choose_run(self, pk: int) -> None:
        """Have the figures use this finished run instead of the newest; they are measured anew."""
        self._transport.post(f"{self._path}/runs/{pk}/choose")

    # Files

    def export(self, to: str | Path, *, format: str = "", all_revisions: bool = False, poll: float = POLL) -> Export:
        """Write all judgments of closed batches into a file, whose ending says the format; for the study's admins.

        Raises
        ------
        ReleaseDiffersError
            When what came has another SHA-256 than what was sent.
        """
        target = Path(to)
        asked = {"format": format or target.suffix.lstrip(".").lower(), "all_revisions": all_revisions}
        job = self._transport.post(f"{self._path}/exports", asked)
        done = self.wait_for(job["address"], progress=False, poll=poll)
        export = Export.model_validate(self._transport.get(done.resource or ""))
        self._transport.download(export.file or "", target)
        check_sum(target, export.sha256)
        return export

    def paper_bundle(self, to: str | Path, *, poll: float = POLL) -> Path:
        """Every chart and table of the newest snapshot as a ZIP file; the one that is there already is given again.

        Raises
        ------
        ReleaseDiffersError
            When what came has another SHA-256 than what was sent.
        """
        target = Path(to)
        job = self._transport.post(f"{self._path}/bundles")
        done = self.wait_for(job["address"], progress=False, poll=poll)
        self._transport.download(done.result or "", target)
        for bundle in self._transport.rows(f"{self._path}/bundles"):
            if bundle["file"] == done.result:
                check_sum(target, bundle["sha256"])
        return target
