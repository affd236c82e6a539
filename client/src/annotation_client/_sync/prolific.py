# Written by client/scripts/make_sync.py from "_async"; change that.
"""Prolific: the connection of a study, the submissions of those who came, and what Prolific is told to do."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from annotation_client._sync.rows import Rows
from annotation_client._sync.transport import Transport
from annotation_client.sending import name_of


class Prolific:
    """``study.prolific``. Rows are mappings, as the platform's description of the API has them (``/api/docs/``).

    What Prolific is told to do is an *order*: it is written down, and a worker carries it out once.
    """

    def __init__(self, transport: Transport, study: str) -> None:
        self._transport, self._path = transport, f"{study}/prolific"

    def read(self) -> dict[str, Any]:
        """How the study is connected; secrets are never told."""
        read: dict[str, Any] = self._transport.get(self._path)
        return read

    def connect(self, **settings: Any) -> dict[str, Any]:
        """Connect it, or change how it is connected: ``code_done="…"``, ``token="…"``, ``tasks_wanted=2``, …"""
        changed: dict[str, Any] = self._transport.change(self._path, settings)
        return changed

    def poll(self) -> dict[str, Any]:
        """Have Prolific asked now how submissions stand; ``read()["asked_at"]`` is None until that is done."""
        return self._post("/poll")

    def submissions(self, *, state: str | None = None, annotator: int | None = None) -> Rows:
        """Who came, visit by visit, the newest first; ``state`` as Prolific calls it (``AWAITING REVIEW``)."""
        return Rows(self._transport, f"{self._path}/submissions", state=state, annotator=annotator)

    def submission(self, pk: int) -> dict[str, Any]:
        """One of them."""
        read: dict[str, Any] = self._transport.get(f"{self._path}/submissions/{pk}")
        return read

    def approve(self, submission: int) -> dict[str, Any]:
        """Order that Prolific approves it, by which its reward is paid."""
        return self._post(f"/submissions/{submission}/approve")

    def reject(self, submission: int, category: str, *, message: str) -> dict[str, Any]:
        """Order that Prolific rejects it, for a reason of its categories; the person reads the message."""
        return self._post(f"/submissions/{submission}/reject", {"category": category, "message": message})

    def pay_bonus(self, submission: int, amount: str) -> dict[str, Any]:
        """Order a bonus; calling this again is another bonus."""
        return self._post(f"/submissions/{submission}/bonus", {"amount": amount})

    def orders(self, *, state: str | None = None) -> Rows:
        """All orders, the newest first; those that are ``unclear`` wait for a person."""
        return Rows(self._transport, f"{self._path}/orders", state=state)

    def order(self, pk: int) -> dict[str, Any]:
        """One of them, as it stands now."""
        read: dict[str, Any] = self._transport.get(f"{self._path}/orders/{pk}")
        return read

    def settle(self, order: int, *, was_done: bool, external_study: str = "") -> dict[str, Any]:
        """Say of an unclear order whether it was carried out; it is never sent again."""
        return self._post(f"/orders/{order}/settle", {"was_done": was_done, "external_study": external_study})

    def try_again(self, order: int) -> dict[str, Any]:
        """Carry out an order that was refused, now that the reason is mended."""
        return self._post(f"/orders/{order}/again")

    def make_study(
        self, name: str, *, description: str, places: int, reward: str, minutes: int, project: str = ""
    ) -> dict[str, Any]:
        """Order a draft on Prolific; ``reward`` is for a submission that takes so many ``minutes``."""
        body = {"name": name, "description": description, "places": places, "reward": reward, "minutes": minutes}
        return self._post("/studies", body | {"project": project})

    def publish(self, order: int) -> dict[str, Any]:
        """Order that the draft is published that an order has made."""
        return self._post(f"/orders/{order}/publish")

    def send_participants(self, file: str | Path) -> dict[str, Any]:
        """Send the CSV of participants that Prolific gives out; nothing of it is kept before :meth:`keep_participants`.

        It waits for a day; :meth:`compare_participants` lays it beside what is here.
        """
        path = Path(file)
        with path.open("rb") as opened:
            where = f"{self._path}/participants-files"
            reply = self._transport.ask("POST", where, files=[("file", (name_of(path), opened))])
        sent: dict[str, Any] = reply.json()
        return sent

    def compare_participants(self, file: int) -> dict[str, Any]:
        """A file that waits, row by row: what differs between there and here, its columns, and what cannot come."""
        read: dict[str, Any] = self._transport.get(f"{self._path}/participants-files/{file}/comparison")
        return read

    def keep_participants(
        self, file: int, columns: Sequence[str] = (), *, agreed: bool = False, takes_states: bool = False
    ) -> dict[str, Any]:
        """Keep columns of everybody who came here, and forget the file; ``agreed``: participants agreed to that.

        ``takes_states`` takes over how submissions stand that are not over here.
        """
        body = {"columns": list(columns), "agreed": agreed, "takes_states": takes_states}
        return self._post(f"/participants-files/{file}/store", body)

    def participants_files(self) -> Rows:
        """The files that wait or were stored, the newest first."""
        return Rows(self._transport, f"{self._path}/participants-files")

    def give_up_participants(self, file: int) -> None:
        """Forget a file of which nothing was stored."""
        self._transport.ask("DELETE", f"{self._path}/participants-files/{file}")

    def participants(self) -> Rows:
        """What was kept of annotators, by pseudonym."""
        return Rows(self._transport, f"{self._path}/participants")

    def forget_participants(self) -> None:
        """Forget what was kept of everybody."""
        self._transport.ask("DELETE", f"{self._path}/participants")

    def _post(self, path: str, body: Any = None) -> dict[str, Any]:
        reply: dict[str, Any] = self._transport.post(f"{self._path}{path}", body)
        return reply
