"""The webhooks of a study."""

from collections.abc import Sequence
from typing import Any

from annotation_client._async.transport import AsyncTransport
from annotation_client.models import Delivery, Webhook


class AsyncWebhooks:
    """``study.webhooks``: who is told what happens in the study."""

    def __init__(self, transport: AsyncTransport, study: str) -> None:
        self._transport, self._path = transport, f"{study}/webhooks"

    async def all(self) -> list[Webhook]:
        """All of the study's."""
        return [Webhook.model_validate(row) async for row in self._transport.rows(self._path)]

    async def add(self, address: str, *, kinds: Sequence[str] | None = None, note: str = "") -> Webhook:
        """A new one; ``secret`` is told this once. Without ``kinds``, of all but single judgments."""
        body: dict[str, Any] = {"address": address, "note": note}
        if kinds is not None:
            body["kinds"] = list(kinds)
        return Webhook.model_validate(await self._transport.post(self._path, body))

    async def change(self, pk: int, **changes: Any) -> Webhook:
        """Another ``address``, ``note`` or ``kinds``; ``is_on=False`` switches it off."""
        return Webhook.model_validate(await self._transport.change(f"{self._path}/{pk}", changes))

    async def rotate(self, pk: int) -> Webhook:
        """A new ``secret``; for a day messages are signed with both."""
        return Webhook.model_validate(await self._transport.post(f"{self._path}/{pk}/rotate"))

    async def test(self, pk: int) -> Delivery:
        """Have a test message sent."""
        return Delivery.model_validate(await self._transport.post(f"{self._path}/{pk}/test"))

    async def deliveries(self, pk: int) -> list[Delivery]:
        """What was sent, the newest first, and what became of it."""
        return [Delivery.model_validate(row) async for row in self._transport.rows(f"{self._path}/{pk}/deliveries")]

    async def send_again(self, pk: int, message: int) -> Delivery:
        """Send a message once more, under its own number."""
        reply = await self._transport.post(f"{self._path}/{pk}/deliveries/{message}/again")
        return Delivery.model_validate(reply)

    async def delete(self, pk: int) -> None:
        """Delete it with its secret and its log."""
        await self._transport.ask("DELETE", f"{self._path}/{pk}")
