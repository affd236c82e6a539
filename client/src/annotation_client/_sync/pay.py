# Written by client/scripts/make_sync.py from "_async"; change that.
"""Pay: terms, the ledger, what an hour pays, and payments. Amounts are texts in the study's currency (``"2.50"``)."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from annotation_client._sync.rows import Rows
from annotation_client._sync.transport import Transport


class Pay:
    """``study.pay``. Rows are mappings, as the platform's description of the API has them (``/api/docs/``).

    A payment is collected, approved, paid by its file or by Prolific, and recorded. Whatever is tried again after an
    answer got lost is done once.
    """

    def __init__(self, transport: Transport, study: str) -> None:
        self._transport, self._path, self._payments = transport, f"{study}/pay", f"{study}/payments"

    def read(self) -> dict[str, Any]:
        """Terms, budget, what each annotator earned, was paid and is owed, and what waits for approval or a bonus."""
        read: dict[str, Any] = self._transport.get(self._path)
        return read

    def agree(self, **terms: Any) -> dict[str, Any]:
        """Agree on other terms (``reward="2.50"``, ``bonus_percent=10``, …); for the study's admins.

        The first ones need ``currency`` and ``reward``. What is left out stays, and so do tasks that are taken.
        """
        agreed: dict[str, Any] = self._transport.change(self._path, terms, within="terms")
        return agreed

    def rates(self) -> dict[str, Any]:
        """What an hour of work pays: each annotator's rate, the median, and the reward that reaches the floor."""
        read: dict[str, Any] = self._transport.get(f"{self._path}/rates")
        return read

    def ledger(self, *, annotator: int | None = None) -> Rows:
        """Every entry, oldest first."""
        return Rows(self._transport, f"{self._path}/entries", annotator=annotator)

    def correct(self, annotator: int, amount: str, *, reason: str) -> dict[str, Any]:
        """Enter an amount, below zero to take something back; the annotator reads the reason."""
        return self._post(f"{self._path}/entries", {"annotator": annotator, "amount": amount, "reason": reason})

    def approve_waiting(self) -> int:
        """Approve all submitted tasks that have no reward yet; how many that were."""
        count: int = 0
        while True:
            done = self._post(f"{self._path}/approve")
            count += done["approved"]
            if not done["approved"] or not done["left"]:
                return count

    def credit_bonus(self, batch: int) -> int:
        """Credit everybody with the bonus of a batch that has closed; how many have one by this call."""
        return int((self._post(f"{self._path}/bonuses", {"batch": batch}))["people"])

    # Payments

    def payments(self) -> Rows:
        """All payments, the newest first."""
        return Rows(self._transport, self._payments)

    def payment(self, number: int) -> dict[str, Any]:
        """One of them with its ``lines``."""
        read: dict[str, Any] = self._transport.get(f"{self._payments}/{number}")
        return read

    def collect(self) -> dict[str, Any]:
        """A payment of all that is owed and in no other one; it waits for an admin's approval."""
        return self._post(self._payments)

    def approve(self, number: int) -> dict[str, Any]:
        """Let it be paid; above the study's limit another person than the one who made it does so."""
        return self._post(f"{self._payments}/{number}/approve")

    def cancel(self, number: int) -> dict[str, Any]:
        """Drop one that nobody has approved; what is owed goes into the next one."""
        return self._post(f"{self._payments}/{number}/cancel")

    def download(self, number: int, to: str | Path) -> Path:
        """The file of an approved payment for whoever pays."""
        return self._transport.download(f"{self._payments}/{number}/file", Path(to))

    def record(self, number: int, paid: str | Path | Iterable[Mapping[str, Any]]) -> dict[str, Any]:
        """Record what was paid: the file as it comes back, or rows with its columns; the same again changes nothing."""
        path = f"{self._payments}/{number}/paid"
        if not isinstance(paid, str | Path):
            return self._post(path, {"rows": [dict(row) for row in paid]})
        sent: dict[str, Any] = {"content": Path(paid).read_bytes(), "headers": {"Content-Type": "text/csv"}}
        reply: dict[str, Any] = (self._transport.ask("POST", path, **sent)).json()
        return reply

    def pay_by_prolific(self, number: int, *, file_unused: str | None = None) -> dict[str, Any]:
        """Have Prolific pay those who came from there; asking twice orders once.

        ``file_unused``: ``payment(number)["in_file"]["at"]``, where nobody pays by the file that was downloaded then.
        """
        body = {} if file_unused is None else {"file_unused": file_unused}
        return self._post(f"{self._payments}/{number}/prolific", body)

    def settle(self, number: int, line: int, amount: str) -> dict[str, Any]:
        """Decide what was paid for a line; ``"0"``: nothing, so that it is owed again."""
        return self._post(f"{self._payments}/{number}/lines/{line}/settle", {"amount": amount})

    def reverse(self, number: int, line: int, *, reason: str) -> dict[str, Any]:
        """Note that what was paid came back; the annotator reads the reason."""
        return self._post(f"{self._payments}/{number}/lines/{line}/reverse", {"reason": reason})

    def _post(self, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        reply: dict[str, Any] = self._transport.post(path, dict(body or {}))
        return reply
