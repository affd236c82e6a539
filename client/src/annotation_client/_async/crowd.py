"""A study's crowd: who does what, consent, languages, review, late work, adjudication."""

from collections.abc import Mapping
from typing import Any

from annotation_client._async.rows import AsyncRows
from annotation_client._async.transport import AsyncTransport


class AsyncCrowd:
    """``study.crowd``. Rows are mappings, as the platform's description of the API has them (``/api/docs/``)."""

    def __init__(self, transport: AsyncTransport, study: str) -> None:
        self._transport, self._path = transport, study

    def annotators(self, *, only: str | None = None) -> AsyncRows:
        """Each annotator's figures and signs; ``only``: ``look`` (with signs) or ``work`` (with a task)."""
        return AsyncRows(self._transport, f"{self._path}/annotators", only=only)

    async def annotator(self, pk: int) -> dict[str, Any]:
        """One of them, with the evidence for each sign."""
        found: dict[str, Any] = await self._transport.get(f"{self._path}/annotators/{pk}")
        return found

    def annotator_history(self, pk: int) -> AsyncRows:
        """One of them over time: their figures in each snapshot of the study, the newest first."""
        return AsyncRows(self._transport, f"{self._path}/annotators/{pk}/history")

    async def sources(self) -> list[dict[str, Any]]:
        """Each way in which annotators come, how it stands, and who came by it."""
        found: list[dict[str, Any]] = (await self._transport.get(f"{self._path}/sources"))["results"]
        return found

    def imported_work(self, *, annotator: int | None = None) -> AsyncRows:
        """What came with marketplaces' files of results: times, approvals, what the worker was told."""
        return AsyncRows(self._transport, f"{self._path}/imported-work", annotator=annotator)

    def reviews(self, *, state: str = "waiting", annotator: int | None = None) -> AsyncRows:
        """Submitted work that waits, or was ``approved``, ``rejected``, ``appealed`` or ``settled``.

        ``aside``: what waits and stays aside although its annotator, who was excluded, takes part again.
        """
        return AsyncRows(self._transport, f"{self._path}/reviews", state=state, annotator=annotator)

    async def approve(self, assignment: int, annotator: int, *, seen: str | None = None) -> dict[str, Any]:
        """Approve what an annotator submitted in a task; its reward is owed from then on.

        Parameters
        ----------
        seen
            ``judged_at`` of the row of :meth:`reviews` that you looked at; without, it is approved as it is now.

        Raises
        ------
        ConflictError
            When its annotator changed it since it was as you have ``seen`` it.
        """
        return await self._post(f"/reviews/{assignment}/{annotator}/approve", _seen(seen))

    async def reject(self, assignment: int, annotator: int, *, because: str, seen: str | None = None) -> dict[str, Any]:
        """Reject it: it is kept and counts no more, and its place is open to others, if ``place_is_open`` says so.

        ``seen``: as of :meth:`approve`.
        """
        return await self._post(f"/reviews/{assignment}/{annotator}/reject", {"because": because, **_seen(seen)})

    async def answer_appeal(self, assignment: int, annotator: int, *, accept: bool, because: str) -> dict[str, Any]:
        """Accept the appeal against a rejection, or turn it down."""
        body = {"accept": accept, "because": because}
        return await self._post(f"/reviews/{assignment}/{annotator}/appeal", body)

    def items_apart(self, aspect: str | None = None, *, which: str = "open") -> AsyncRows:
        """Judged items with how far their judgments lie apart, to be adjudicated."""
        return AsyncRows(self._transport, f"{self._path}/items-apart", aspect=aspect, which=which)

    def adjudications(self) -> AsyncRows:
        """What adjudicators decided."""
        return AsyncRows(self._transport, f"{self._path}/adjudications")

    async def adjudicate(
        self, item: int, values: Mapping[str, Any], *, scheme_signature: str, note: str = ""
    ) -> dict[str, Any]:
        """Decide on an item; ``scheme_signature`` is that of ``study.record`` under which it was decided."""
        body = {"values": dict(values), "scheme_signature": scheme_signature, "note": note}
        reply = await self._transport.ask("PUT", f"{self._path}/items/{item}/adjudication", json=body)
        decided: dict[str, Any] = reply.json()
        return decided

    async def to_adjudicate(self, item: int) -> dict[str, Any]:
        """An item's ``judgments`` under letters, what you decided (``own``), and what others did, once you have."""
        found: dict[str, Any] = await self._transport.get(f"{self._path}/items/{item}/adjudication")
        return found

    async def make_check(self, item: int) -> dict[str, Any]:
        """Make a check of what you decided about an item; ``study.checks.mix`` puts it into batches."""
        return await self._post(f"/items/{item}/adjudication/check", {})

    async def consent_texts(self) -> list[dict[str, Any]]:
        """The versions of what annotators agree to, the newest first, with how many did."""
        reply = await self._transport.get(f"{self._path}/consent-texts")
        found: list[dict[str, Any]] = reply["results"]
        return found

    async def publish_consent(self, **texts: str) -> dict[str, Any]:
        """A new version (``en="…", ja="…"``), which all annotators read before their next task."""
        return await self._post("/consent-texts", {"texts": texts})

    def consents(self, *, annotator: int | None = None, version: int | None = None) -> AsyncRows:
        """Which annotator said what to which version."""
        return AsyncRows(self._transport, f"{self._path}/consents", annotator=annotator, version=version)

    async def languages(self) -> list[str]:
        """The languages that the study asks for."""
        found: list[str] = (await self._transport.get(f"{self._path}/languages"))["codes"]
        return found

    async def require_languages(self, *codes: str) -> list[str]:
        """Let only those take tasks who say that they read all of these; none: anybody."""
        reply = await self._transport.change(f"{self._path}/languages", {"codes": list(codes)}, method="PUT")
        found: list[str] = reply["codes"]
        return found

    async def late_work(self) -> list[dict[str, Any]]:
        """What was submitted too late and waits, the oldest first; ``task`` and ``annotator`` name it."""
        return await AsyncRows(self._transport, f"{self._path}/late-work").to_list()

    def late_judgments(
        self, *, annotator: int | None = None, task: int | None = None, state: str | None = None
    ) -> AsyncRows:
        """The judgments that came too late: ``waiting``, ``accepted``, ``declined`` or ``replaced``."""
        path = f"{self._path}/late-judgments"
        return AsyncRows(self._transport, path, annotator=annotator, task=task, state=state)

    async def accept_late(self, task: int, annotator: int) -> None:
        """Let late work count, in a free place of its task."""
        await self._transport.ask("POST", f"{self._path}/late-work/{task}/{annotator}/accept", json={})

    async def decline_late(self, task: int, annotator: int, *, because: str) -> None:
        """Leave it uncounted; the annotator reads why."""
        path = f"{self._path}/late-work/{task}/{annotator}/decline"
        await self._transport.ask("POST", path, json={"because": because})

    async def _post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        reply: dict[str, Any] = await self._transport.post(f"{self._path}{path}", dict(body))
        return reply


def _seen(judged_at: str | None) -> dict[str, Any]:
    return {} if judged_at is None else {"seen": judged_at}
