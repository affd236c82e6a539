"""Files of other tools: sent, looked at, mapped, checked, and stored as a study or a corpus."""

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from annotation_client._async.base import POLL, ended
from annotation_client._async.rows import AsyncRows
from annotation_client._async.study import AsyncStudy
from annotation_client._async.transport import AsyncTransport
from annotation_client._async.uploads import IN_PARTS, uploaded
from annotation_client.errors import NotAcceptedError, tell_warnings
from annotation_client.models import Corpus, ImportPreview, ImportRecord, StudyRecord, UploadRecord
from annotation_client.progress import Told, shown
from annotation_client.sending import name_of, scheme_of
from annotation_client.verify import sha256_of

GOES_ON_FOR = timedelta(days=1)
USUAL = {"scheme": "", "scheme_text": "", "language": "en", "sheet": "", "overlap": None, "hits_per_batch": None}
"""What an import has where nothing else was chosen."""


class AsyncImports:
    """``platform.imports``, for people who may create studies."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def formats(self) -> dict[str, str]:
        """What can be imported: key → title."""
        reply = await self._transport.get("/import-formats")
        return {each["key"]: each["title"] for each in reply["results"]}

    async def send(
        self,
        files: str | Path | Sequence[str | Path],
        *,
        format: str | None = None,
        name: str | None = None,
        target: str = "study",
        scheme: str | Mapping[str, Any] | None = None,
        progress: bool | Told = True,
        **more: Any,
    ) -> "AsyncImport":
        """Send files. Nothing becomes of them before :meth:`AsyncImport.store`.

        Large ones go in parts. One that breaks off goes on where it was when this is called again within a day, also
        by another process. Once all has arrived, that gives the import that was made of it, if nothing was done with
        it.

        Parameters
        ----------
        files
            The path of a file, or several of one kind, such as a labelling tool's with its configuration.
        format
            Of :meth:`formats`; otherwise it is recognised.
        name
            Of the new study or corpus; otherwise the first file's.
        target
            ``study``, or ``corpus`` for questions and answers alone.
        scheme
            The path of a YAML or JSON file, a definition, or the key of a preset; otherwise what the file says.
        progress
            Of large files, in bytes: a bar on standard error, nothing, or a function of yours.
        more
            ``language``, ``sheet`` of a workbook, ``overlap``, ``hits_per_batch``.
        """
        chosen = {"format": format, "name": name, "target": target, **more, **_scheme(scheme)}
        paths = [Path(each) for each in ([files] if isinstance(files, str | Path) else files)]
        if sum(path.stat().st_size for path in paths) > IN_PARTS:
            return await self._send_in_parts(paths, chosen, progress)
        with ExitStack() as opened:
            parts = [("files", (name_of(path), opened.enter_context(path.open("rb")))) for path in paths]
            data = {key: str(value) for key, value in _given(chosen).items()}
            reply = await self._transport.ask("POST", "/imports", files=parts, data=data)
        return self._of(reply.json())

    async def _send_in_parts(
        self, paths: Sequence[Path], chosen: Mapping[str, Any], progress: bool | Told
    ) -> "AsyncImport":
        if (there := await self._arrived(paths, chosen)) is not None:
            return there
        taken = []
        for path in paths:
            with shown(progress, name_of(path), of_bytes=True) as told:
                taken.append((await uploaded(self._transport, path, told)).id)
        body = {"uploads": taken} | _given(chosen)
        return self._of(await self._transport.post("/imports", body))

    async def _arrived(self, paths: Sequence[Path], chosen: Mapping[str, Any]) -> "AsyncImport | None":
        """What was sent so within a day, and nothing was done with: whoever sent it did not hear that it arrived."""
        since = datetime.now(UTC) - GOES_ON_FOR
        files = [{"name": name_of(path), "size": path.stat().st_size} for path in paths]
        asked = {"name": Path(name_of(paths[0])).stem, **USUAL} | _given(chosen)
        async for row in self._transport.rows("/imports"):
            found = ImportRecord.model_validate(row)
            if found.created_at < since:
                return None
            is_so = found.files == files and all(row.get(name) == value for name, value in asked.items())
            if is_so and found.is_untouched and found.checksums == [sha256_of(path) for path in paths]:
                return self._of(row)
        return None

    async def uploads(self) -> list[UploadRecord]:
        """Large files that were sent in parts, whole or not, and that no import has taken; the newest first."""
        return [UploadRecord.model_validate(row) async for row in self._transport.rows("/uploads")]

    async def forget_upload(self, pk: int) -> None:
        """Have what came of one of them forgotten."""
        await self._transport.ask("DELETE", f"/uploads/{pk}")

    async def send_results(self, file: str | Path, *, with_rejected: bool = False) -> "AsyncImport":
        """Send a marketplace's file of results; go on with what its columns are, as with files of other tools.

        Its workers get pseudonyms. What is said beside the judgments (times, approvals) comes along by itself:
        :meth:`AsyncCrowd.imported_work`.

        Parameters
        ----------
        file
            The path of the CSV of a batch, with ``WorkerId``, ``AssignmentId``, ``Input.*`` and ``Answer.*``.
        with_rejected
            Also the judgments of rejected work.

        Raises
        ------
        NotAcceptedError
            With each row that is wrong.
        """
        path = Path(file)
        with path.open("rb") as opened:
            data = {"with_rejected": str(with_rejected).lower()}
            reply = await self._transport.ask(
                "POST", "/results-files", files=[("file", (name_of(path), opened))], data=data
            )
        return await self.get(reply.json()["imported"])

    def results_files(self) -> AsyncRows:
        """Marketplaces' files that were sent or uploaded, the newest first: what was found, and what does not come."""
        return AsyncRows(self._transport, "/results-files")

    async def all(self) -> list["AsyncImport"]:
        """What was sent or uploaded, the newest first."""
        return [self._of(row) async for row in self._transport.rows("/imports")]

    async def get(self, pk: int) -> "AsyncImport":
        """One of them by its number."""
        return self._of(await self._transport.get(f"/imports/{pk}"))

    def _of(self, row: Mapping[str, Any]) -> "AsyncImport":
        return AsyncImport(self._transport, ImportRecord.model_validate(row))


class AsyncImport:
    """Files that were sent. ``record`` is what the platform said of them last."""

    def __init__(self, transport: AsyncTransport, record: ImportRecord) -> None:
        self._transport, self.record = transport, record
        self._path = f"/imports/{record.id}"

    def __repr__(self) -> str:
        return f"<import {self.record.id}: {self.record.name}, {self.record.format}>"

    async def preview(self, *, poll: float = POLL, timeout: float | None = None) -> ImportPreview:
        """The first rows, and what each column is taken for; of large files a worker reads them first.

        Raises
        ------
        NotAcceptedError
            When the files or the scheme cannot be read.
        """
        await self._looked_at(poll, timeout)
        return ImportPreview.model_validate(await self._transport.get(f"{self._path}/preview"))

    async def change(self, *, scheme: str | Mapping[str, Any] | None = None, **choices: Any) -> None:
        """Choose something else, once the first rows have been read.

        Parameters
        ----------
        scheme
            As for :meth:`AsyncImports.send`.
        choices
            ``columns`` (column → field, or "" to leave it out), ``values`` (column → what the file says → what that
            stands for), ``target``, ``name``, ``format``, ``language``, ``sheet``, ``overlap``, ``hits_per_batch``.
        """
        await self._looked_at(POLL, None)
        changed = await self._transport.change(self._path, {**choices, **_scheme(scheme)})
        self.record = ImportRecord.model_validate(changed)

    async def check(
        self, *, progress: bool | Told = True, poll: float = POLL, timeout: float | None = None
    ) -> dict[str, Any]:
        """Go through all of it and store nothing; what was found (``summary`` has it as sentences).

        Raises
        ------
        NotAcceptedError
            With the row and field of each mistake.
        """
        return await self._done("check", progress, poll, timeout)

    async def store(
        self, *, progress: bool | Told = True, poll: float = POLL, timeout: float | None = None
    ) -> AsyncStudy | Corpus:
        """Store all of it, or nothing; the study or corpus that was made.

        Raises
        ------
        NotAcceptedError
            With the row and field of each mistake; change what was chosen, and store again.

        Warns
        -----
        AnnotationWarning
            For whatever was left out, with how many there were, and what is perhaps not meant; :meth:`check` tells it
            before. Where warnings are errors, it is stored all the same: ``record`` says as what.
        """
        found = await self._done("store", progress, poll, timeout)
        tell_warnings([*(each["detail"] for each in found["left_out"]), *found["warnings"]])
        if self.record.study is not None:
            found = await self._transport.get(f"/studies/{self.record.study}")
            return AsyncStudy(self._transport, StudyRecord.model_validate(found))
        return Corpus.model_validate(await self._transport.get(f"/corpora/{self.record.corpus}"))

    async def give_up(self) -> None:
        """Have the files forgotten; what was made of them stays."""
        await self._transport.ask("DELETE", self._path)

    async def _done(self, what: str, progress: bool | Told, poll: float, timeout: float | None) -> dict[str, Any]:
        await self._looked_at(poll, timeout)
        job = await self._transport.post(f"{self._path}/{what}")
        await ended(self._transport, job["address"], progress=progress, poll=poll, timeout=timeout)
        await self._read()
        if (count := self.record.mistake_count) or self.record.found is None:
            detail = f"Nothing was stored: {count} {'mistake' if count == 1 else 'mistakes'}."
            raise NotAcceptedError(422, {"detail": detail, "errors": self.record.mistakes})
        return self.record.found

    async def _looked_at(self, poll: float, timeout: float | None) -> None:
        """Wait for the worker that reads the first rows of large files; meanwhile nothing can be done with them."""
        if self.record.state in ("pending", "running"):
            await ended(self._transport, self.record.job, progress=False, poll=poll, timeout=timeout)
            await self._read()

    async def _read(self) -> None:
        self.record = ImportRecord.model_validate(await self._transport.get(self._path))


def _given(chosen: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in chosen.items() if value is not None}


def _scheme(scheme: str | Mapping[str, Any] | None) -> dict[str, str]:
    if scheme is None:
        return {}
    sent = scheme_of(scheme)
    if "preset" in sent:
        return {"scheme": sent["preset"], "scheme_text": ""}
    text = sent["text"] if "text" in sent else json.dumps(sent["definition"], ensure_ascii=False)
    return {"scheme": "", "scheme_text": text}
