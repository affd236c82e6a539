"""Where the scores of a study go back to: Langfuse, Phoenix, LangSmith."""

from collections.abc import Sequence
from typing import Any

from annotation_client._async.transport import AsyncTransport
from annotation_client.models import Job, ScoreDestination, ScorePreview, SentScore
from annotation_client.sending import in_address


class AsyncScoreDestinations:
    """``study.score_destinations``: for its admins. ``program`` is ``langfuse``, ``phoenix`` or ``langsmith``."""

    def __init__(self, transport: AsyncTransport, study: str) -> None:
        self._transport, self._path = transport, f"{study}/score-destinations"

    async def all(self) -> list[ScoreDestination]:
        """All of the study's."""
        return [ScoreDestination.model_validate(row) async for row in self._transport.rows(self._path)]

    async def save(
        self,
        program: str,
        address: str,
        *,
        aspects: Sequence[str],
        secret: str = "",
        public_key: str = "",
        what: str = "mean",
        with_comments: bool = False,
    ) -> ScoreDestination:
        """Set one up, or change it; an empty ``secret`` keeps the stored one. ``what``: ``mean`` or ``each``."""
        body: dict[str, Any] = {"address": address, "aspects": list(aspects), "secret": secret}
        body |= {"public_key": public_key, "what": what, "with_comments": with_comments}
        return ScoreDestination.model_validate(
            await self._transport.change(f"{self._path}/{in_address(program)}", body, method="PUT")
        )

    async def preview(self, program: str) -> ScorePreview:
        """What would be sent now."""
        reply = await self._transport.ask("GET", f"{self._path}/{in_address(program)}/preview")
        return ScorePreview.model_validate(reply.json())

    async def send(self, program: str) -> Job:
        """Have what is new or has changed sent; one that has paused goes on."""
        return Job.model_validate(await self._transport.post(f"{self._path}/{in_address(program)}/send"))

    async def stop(self, program: str) -> None:
        """Stop a sending; what was sent stays there."""
        await self._transport.ask("POST", f"{self._path}/{in_address(program)}/stop", json={})

    async def sent(self, program: str) -> list[SentScore]:
        """Every score as it was last sent, the newest first, and what the program said to it."""
        return [
            SentScore.model_validate(row)
            async for row in self._transport.rows(f"{self._path}/{in_address(program)}/scores")
        ]

    async def delete(self, program: str) -> None:
        """Forget the key and the log; what was sent stays there."""
        await self._transport.ask("DELETE", f"{self._path}/{in_address(program)}")
