# Written by client/scripts/make_sync.py from "_async"; change that.
"""The webhooks of a study."""

from collections.abc import Sequence
from typing import Any

from annotation_client._sync.transport import Transport
from annotation_client.models import Delivery, Webhook


class Webhooks:
    """``study.webhooks``: who is told what happens in the study."""

    def __init__(self, transport: Transport, study: str) -> None:
        self._transport, self._path = transport, f"{study}/webhooks"

    def all(self) -> list[Webhook]:
        """All of the study's."""
        return [Webhook.model_validate(row) for row in self._transport.rows(self._path)]

    def add(self, address: str, *, kinds: Sequence[str] | None = None, note: str = "") -> Webhook:
        """A new one; ``secret`` is told this once. Without ``kinds``, of all but single judgments."""
        body: dict[str, Any] = {"address": address, "note": note}
        if kinds is not None:
            body["kinds"] = list(kinds)
        return Webhook.model_validate(self._transport.post(self._path, body))

    def change(self, pk: int, **changes: Any) -> Webhook:
        """Another ``address``, ``note`` or ``kinds``; ``is_on=False`` switches it off."""
        return Webhook.model_validate(self._transport.change(f"{self._path}/{pk}", changes))

    def rotate(self, pk: int) -> Webhook:
        """A new ``secret``; for a day messages are signed with both."""
        return Webhook.model_validate(self._transport.post(f"{self._path}/{pk}/rotate"))

    def test(self, pk: int) -> Delivery:
        """Have a test message sent."""
        return Delivery.model_validate(self._transport.post(f"{self._path}/{pk}/test"))

    def deliveries(self, pk: int) -> list[Delivery]:
        """What was sent, the newest first, and what became of it."""
        return [Delivery.model_validate(row) for row in self._transport.rows(f"{self._path}/{pk}/deliveries")]

    def send_again(self, pk: int, message: int) -> Delivery:
        """Send a message once more, under its own number."""
        reply = self._transport.post(f"{self._path}/{pk}/deliveries/{message}/again")
        return Delivery.model_validate(reply)

    def delete(self, pk: int) -> None:
        """Delete it with its secret and its log."""
        self._transport.ask("DELETE", f"{self._path}/{pk}")
