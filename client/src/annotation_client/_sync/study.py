# Written by client/scripts/make_sync.py from "_async"; change that.
"""A study: releasing its batches, waiting, its judgments and figures, its people, runs, exports and releases."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from annotation_client._sync.rows import Rows
from annotation_client._sync.score_destinations import ScoreDestinations
from annotation_client._sync.transport import Transport
from annotation_client._sync.webhooks import Webhooks
from annotation_client.archives import check_sum, unpacked
from annotation_client.errors import JobFailedError, NotThereError, WaitedTooLongError
from annotation_client.models import (
    Agreement,
    Batch,
    Export,
    Figure,
    Figures,
    Invitation,
    Job,
    Member,
    Release,
    Run,
    Snapshot,
    StudyRecord,
)
from annotation_client.progress import Told, shown

POLL = 2.0  # seconds
OVER = ("done", "failed", "paused", "draft")


class Study:
    """One study. ``record`` is what the platform said of it last."""

    def __init__(self, transport: Transport, record: StudyRecord) -> None:
        self._transport, self.record = transport, record
        self._path = f"/studies/{record.slug}"
        self.webhooks = Webhooks(transport, self._path)
        self.score_destinations = ScoreDestinations(transport, self._path)

    def __repr__(self) -> str:
        return f"<study {self.record.slug}: {self.record.name}>"

    @property
    def slug(self) -> str:
        """Names it in addresses; it never changes."""
        return self.record.slug

    # Settings

    def change(self, **settings: Any) -> None:
        """Change settings (``overlap=5``, ``name="…"``), whatever somebody else changed meanwhile in others of them."""
        tag = (self._transport.ask("GET", self._path)).headers["ETag"]
        reply = self._transport.ask("PATCH", self._path, json=settings, headers={"If-Match": tag})
        self.record = StudyRecord.model_validate(reply.json())

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

    # Batches

    def batches(self) -> list[Batch]:
        """All batches, in order."""
        return [Batch.model_validate(row) for row in self._transport.rows(f"{self._path}/batches")]

    def release(self, batch_size: int | None = None) -> list[Batch]:
        """Open batches that are drafts, in order, until so many items are open by this call; without a number, all.

        Batches are planned when the study is made (``questions_per_hit`` × ``hits_per_batch``); at least one opens.
        """
        opened: list[Batch] = []
        for batch in self.batches():
            if batch.state != "draft":
                continue
            reply = self._transport.post(f"{self._path}/batches/{batch.number}/open")
            opened.append(Batch.model_validate(reply))
            if batch_size is not None and sum(each.items for each in opened) >= batch_size:
                break
        return opened

    def close(self, number: int | None = None, *, when: str = "now") -> None:
        """Close a batch, or all that are open; ``when="finished"``: those at work may finish first."""
        for batch in self.batches():
            if batch.state == "open" and number in (None, batch.number):
                self._transport.post(f"{self._path}/batches/{batch.number}/close", {"when": when})

    def wait(
        self, *, progress: bool | Told = True, measured: bool = True, poll: float = POLL, timeout: float | None = None
    ) -> None:
        """Wait until no batch is open, and (``measured``) until the figures are those of all judgments.

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
                _pause(poll, end)
        if measured:
            self.measure(progress=False, poll=poll, timeout=None if end is None else end - time.monotonic())

    # What was judged

    def items(self) -> Rows:
        """The items with the systems that annotators do not see."""
        return Rows(self._transport, f"{self._path}/items")

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

    def sections(self) -> dict[str, str]:
        """The kinds of figures there are: name → title."""
        reply = self._transport.get(f"{self._path}/figures")
        return {each["section"]: each["title"] for each in reply["sections"]}

    def figures(self, section: str, *, aspect: str | None = None, snapshot: int | None = None) -> Figures:
        """The figures of one kind, with their tables and where they come from; of the newest snapshot or of another."""
        reply = self._transport.get(f"{self._path}/figures/{section}", aspect=aspect, snapshot=snapshot)
        return Figures.model_validate(reply)

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

    def resume_run(self, pk: int, *, budget: float | None = None) -> None:
        """Let a run go on, up to another budget if there is one."""
        body = {} if budget is None else {"budget": str(budget)}
        self._transport.post(f"{self._path}/runs/{pk}/resume", body)

    def wait_for(
        self, job: str, *, progress: bool | Told = True, poll: float = POLL, timeout: float | None = None
    ) -> Job:
        """Wait for long work by the address of its job (``run.job``).

        Raises
        ------
        JobFailedError
            When it failed, paused, or waits for a person.
        WaitedTooLongError
            When it takes longer than ``timeout`` seconds.
        """
        end = None if timeout is None else time.monotonic() + timeout
        with shown(progress, "waiting") as told:
            while True:
                found = Job.model_validate(self._transport.get(job))
                told(found.done, found.total)
                if found.state in OVER:
                    break
                _pause(poll, end)
        if found.state != "done":
            raise JobFailedError(f"{found.id} is {found.state}: {found.error or 'it waits for a person.'}")
        return found

    # People

    def members(self) -> list[Member]:
        """Everybody in the study, by pseudonym."""
        return [Member.model_validate(row) for row in self._transport.rows(f"{self._path}/members")]

    def invitations(self) -> list[Invitation]:
        """The invitations that one may give, the newest first."""
        return [Invitation.model_validate(row) for row in self._transport.rows(f"{self._path}/invitations")]

    def invite(
        self, *, role: str = "annotator", email: str = "", max_uses: int | None = None, days: int = 30, note: str = ""
    ) -> Invitation:
        """A new way in; with an address it is mailed, and for one person."""
        body = {"role": role, "email": email, "max_uses": max_uses, "days": days, "note": note}
        return Invitation.model_validate(self._transport.post(f"{self._path}/invitations", body))

    def pause_member(self, pk: int, *, because: str) -> None:
        """Let an annotator take nothing new; they read why."""
        self._transport.post(f"{self._path}/members/{pk}/pause", {"because": because})

    def resume_member(self, pk: int) -> None:
        """Let an annotator take tasks again."""
        self._transport.post(f"{self._path}/members/{pk}/resume")

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

    def releases(self) -> list[Release]:
        """All releases, the newest first."""
        return [Release.model_validate(row) for row in self._transport.rows(f"{self._path}/releases")]

    def freeze(
        self,
        title: str,
        *,
        authors: Sequence[str],
        licence: str,
        description: str = "",
        progress: bool | Told = True,
        poll: float = POLL,
    ) -> Release:
        """Ask for a release, and wait until it is frozen, or a draft with ``findings`` to settle; for admins.

        Raises
        ------
        JobFailedError
            When it could not be made.
        """
        body = {"title": title, "authors": list(authors), "licence": licence, "description": description}
        job = self._transport.post(f"{self._path}/releases", body)
        return self._frozen(job["resource"], progress, poll)

    def settle(
        self, number: int, verdicts: Mapping[int, str], *, progress: bool | Told = True, poll: float = POLL
    ) -> Release:
        """Say of findings (by ``id``) that they are ``kept`` or ``removed``; once none is open, it is frozen."""
        sent = [{"id": pk, "verdict": verdict} for pk, verdict in verdicts.items()]
        path = f"{self._path}/releases/{number}"
        self._transport.post(f"{path}/settle", {"verdicts": sent})
        return self._frozen(path, progress, poll)

    def download_release(self, number: int, folder: str | Path) -> Path:
        """Download a frozen release into a new folder below ``folder``, and check all its files.

        Raises
        ------
        ReleaseDiffersError
            When a file is not as it was frozen.
        NotThereError
            When it is not frozen, or was withdrawn.
        """
        release = Release.model_validate(self._transport.get(f"{self._path}/releases/{number}"))
        target = Path(folder) / f"{self.slug}-release-{number}"
        target.parent.mkdir(parents=True, exist_ok=True)
        if release.file is None:
            detail = release.withdrawn_because or "It is not frozen."
            raise NotThereError(404, {"detail": detail, "code": "client.not_frozen"})
        archive = self._transport.download(release.file, target.with_suffix(".zip"))
        return unpacked(archive, target, digest=release.digest)

    def _frozen(self, path: str, progress: bool | Told, poll: float) -> Release:
        release = Release.model_validate(self._transport.get(path))
        try:
            self.wait_for(release.job, progress=progress, poll=poll)
        except JobFailedError:
            release = Release.model_validate(self._transport.get(path))
            if release.state != "draft":
                raise
            return release
        return Release.model_validate(self._transport.get(path))


def _pause(poll: float, end: float | None) -> None:
    if end is not None and time.monotonic() + poll > end:
        raise WaitedTooLongError("What was waited for did not happen in time; nothing is lost, wait again.")
    time.sleep(poll)
