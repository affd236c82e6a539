"""An annotator's own work: tasks, what comes before them, and what becomes of them."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation_client._async.base import POLL, pause_until
from annotation_client._async.transport import AsyncTransport
from annotation_client.errors import JobFailedError
from annotation_client.sending import in_address


def _of(task: Mapping[str, Any]) -> dict[str, Any]:
    """What goes with all that is written in a task: by which scheme, and in which attempt it was taken."""
    return {name: task[name] for name in ("scheme_signature", "holder")}


class AsyncWork:
    """``platform.work``: tasks of the token's owner as an annotator, for a front end of one's own."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def waiting(self) -> list[dict[str, Any]]:
        """The studies that have something to do."""
        reply = await self._transport.get("/work")
        found: list[dict[str, Any]] = reply["results"]
        return found

    async def take(self, study: str) -> dict[str, Any]:
        """The task under way in a study, by its slug, or the next one, with all that its pages show.

        Raises
        ------
        ConflictError
            When nothing is left to take.
        """
        task: dict[str, Any] = await self._transport.post(f"/work/{in_address(study)}/take")
        return task

    async def submit(
        self,
        task: Mapping[str, Any],
        position: int,
        values: Mapping[str, Any],
        *,
        seconds: float | None = None,
        draft_version: int = 0,
    ) -> dict[str, Any]:
        """Submit the judgment of one item of a task that was taken.

        ``draft_version``: that of the draft which it was made from, as :meth:`draft` gave it. A newer one waits as a
        change that was not submitted, and the task with it.

        Raises
        ------
        NotAcceptedError
            With each field that is wrong.
        """
        body = {"values": dict(values), "seconds": seconds, "draft_version": draft_version, **_of(task)}
        path = f"/tasks/{task['id']}/items/{position}/judgment"
        submitted: dict[str, Any] = await self._transport.post(path, body)
        return submitted

    async def give_back(self, task: Mapping[str, Any]) -> None:
        """Free a task for somebody else."""
        await self._transport.ask("POST", f"/tasks/{task['id']}/give-back", json={})

    async def draft(
        self, task: Mapping[str, Any], position: int, values: Mapping[str, str], *, version: int, seconds: float = 0.0
    ) -> int:
        """Keep what is typed; ``version`` is the item's ``draft_version`` as it was read. Gives the new one."""
        body = {"values": dict(values), "version": version, "seconds": seconds, **_of(task)}
        reply = await self._transport.ask("PUT", f"/tasks/{task['id']}/items/{position}/draft", json=body)
        return int(reply.json()["version"])

    async def drop_change(self, task: Mapping[str, Any], position: int) -> dict[str, Any]:
        """Forget what was typed since an item was submitted."""
        return await self._post(f"/tasks/{task['id']}/items/{position}/drop-change")

    async def submit_late(
        self, task: Mapping[str, Any], position: int, values: Mapping[str, Any], *, draft_version: int = 0
    ) -> dict[str, Any]:
        """Keep a judgment for which the time ran out and whose task somebody else has; a researcher decides."""
        body = {"values": dict(values), "draft_version": draft_version, **_of(task)}
        return await self._post(f"/tasks/{task['id']}/items/{position}/late-judgment", body)

    async def more_time(self, task: Mapping[str, Any]) -> dict[str, Any]:
        """Lengthen one's time for a task, as often as the study allows; gives the task as it is then."""
        return await self._post(f"/tasks/{task['id']}/more-time", {"extensions": task["extensions"]})

    async def instructions(self, study: str) -> dict[str, Any]:
        """The guidelines of a study and of its aspects, with worked examples."""
        return await self._get(f"/work/{in_address(study)}/instructions")

    async def read_note(self, study: str, note: str) -> None:
        """Say that a person read the note by whose name taking was refused (``annotations.note_unread``)."""
        await self._transport.ask("POST", f"/work/{in_address(study)}/read-note", json={"note": note})

    async def consent(self, study: str) -> dict[str, Any]:
        """What is to be read and agreed to before the next task.

        Raises
        ------
        NotThereError
            Where the study asks for no consent.
        """
        return await self._get(f"/work/{in_address(study)}/consent")

    async def answer_consent(self, study: str, text: Mapping[str, Any], *, agreed: bool) -> dict[str, Any]:
        """What the person says to the text that they read, as :meth:`consent` gave it."""
        body = {"version": text["version"], "language": text["language"], "agreed": agreed}
        return await self._post(f"/work/{in_address(study)}/consent", body)

    async def state_languages(self, study: str, *codes: str) -> dict[str, Any]:
        """Say which languages one reads; gives those that the study asks for, too."""
        reply = await self._transport.ask("PUT", f"/work/{in_address(study)}/languages", json={"codes": list(codes)})
        said: dict[str, Any] = reply.json()
        return said

    async def rounds(self) -> list[dict[str, Any]]:
        """The rounds of qualification of one's studies, and how one stands in each."""
        return await self._results("/work/rounds")

    async def begin_round(self, round: int) -> dict[str, Any]:
        """Begin a round, or go on in it: its task."""
        return await self._post(f"/work/rounds/{round}/begin")

    async def attempt(self, pk: int) -> dict[str, Any]:
        """What came of an attempt at a round."""
        return await self._get(f"/work/attempts/{pk}")

    async def submissions(self) -> list[dict[str, Any]]:
        """What one has submitted, the newest first, with what was decided about it."""
        return await self._results("/work/submissions")

    async def appeal(self, task: int, words: str) -> dict[str, Any]:
        """Appeal against the rejection of one's work in a task, once."""
        return await self._post(f"/work/submissions/{task}/appeal", {"words": words})

    async def announcements(self) -> list[dict[str, Any]]:
        """What researchers tell one, and one has yet to put away."""
        return [row async for row in self._transport.rows("/work/announcements")]

    async def dismiss(self, announcement: int) -> None:
        """Put an announcement away."""
        await self._transport.ask("POST", f"/work/announcements/{announcement}/dismiss", json={})

    async def questions(self, study: str, *, q: str | None = None) -> list[dict[str, Any]]:
        """The frequent questions of a study; ``q``: only those with all of these words."""
        reply = await self._transport.get(f"/work/{in_address(study)}/faq", q=q)
        found: list[dict[str, Any]] = reply["results"]
        return found

    async def threads(self) -> list[dict[str, Any]]:
        """All threads of one's own, the newest word first; ``assignment`` 0 is about the study."""
        return [row async for row in self._transport.rows("/work/messages")]

    async def earnings(self) -> list[dict[str, Any]]:
        """What one earned, was paid and is owed, by study; for tokens with all rights."""
        return await self._results("/work/earnings")

    async def earned(self) -> list[dict[str, Any]]:
        """Each entry of it with what it is for, the newest first; for tokens with all rights."""
        return [row async for row in self._transport.rows("/work/earnings/entries")]

    async def messages(self, study: str) -> list[dict[str, Any]]:
        """What one and the researchers said to each other about a study."""
        return await self._results(f"/work/{in_address(study)}/messages")

    async def write(self, study: str, text: str) -> dict[str, Any]:
        """Write to the researchers about a study."""
        return await self._post(f"/work/{in_address(study)}/messages", {"text": text})

    async def hint(
        self, task: Mapping[str, Any], position: int, slot: str, values: Mapping[str, str], *, dismiss: bool = False
    ) -> str | None:
        """What to ask somebody whose explanation (the field ``slot`` of what is typed) says little; None: it is fine.

        ``dismiss``: the person finds it fine, and gets no hint there again.
        """
        body = {"slot": slot, "values": dict(values), "dismiss": dismiss}
        found: str | None = (await self._post(f"/tasks/{task['id']}/items/{position}/hint", body))["hint"]
        return found

    async def pasted(self, task: Mapping[str, Any], position: int, slot: str, characters: int) -> None:
        """Tell how much was pasted into a field of text, and nothing of the text."""
        path = f"/tasks/{task['id']}/items/{position}/pasted"
        body = {"slot": slot, "characters": characters, "scheme_signature": task["scheme_signature"]}
        await self._transport.ask("POST", path, json=body)

    async def mail_wishes(self) -> dict[str, bool]:
        """Whether one wants mail of new ``messages`` and of ``announcements``."""
        return await self._get("/work/mail-wishes")

    async def wish_for_mail(self, *, messages: bool, announcements: bool) -> None:
        """Say which mails one wants."""
        body = {"messages": messages, "announcements": announcements}
        await self._transport.ask("PUT", "/work/mail-wishes", json=body)

    async def my_data(self, to: str | Path, *, poll: float = POLL, timeout: float | None = None) -> Path:
        """Everything that the platform knows of one, as a ZIP file: asked for, waited for, downloaded; by a token with
        the scope ``admin``.

        Raises
        ------
        JobFailedError
            When it could not be made.
        WaitedTooLongError
            When it takes longer than ``timeout`` seconds.
        """
        end = None if timeout is None else time.monotonic() + timeout
        made = await self._post("/work/my-data")
        while made["state"] in ("pending", "running"):
            await pause_until(poll, end)
            made = next(each for each in await self._results("/work/my-data") if each["id"] == made["id"])
        if made["file"] is None:
            raise JobFailedError(f"The file could not be made: {made['error']}")
        return await self._transport.download(made["file"], Path(to))

    async def leave(self, study: str) -> None:
        """Leave a study: what was submitted stays, tasks under way go to others."""
        await self._transport.ask("POST", f"/work/{in_address(study)}/leave", json={})

    async def _get(self, path: str) -> dict[str, Any]:
        read: dict[str, Any] = await self._transport.get(path)
        return read

    async def _post(self, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        reply: dict[str, Any] = await self._transport.post(path, dict(body or {}))
        return reply

    async def _results(self, path: str) -> list[dict[str, Any]]:
        reply = await self._transport.get(path)
        found: list[dict[str, Any]] = reply["results"]
        return found
