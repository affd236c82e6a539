# Written by client/scripts/make_sync.py from "_async"; change that.
"""Checks: items mixed into tasks whose right judgment is known."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from annotation_client._sync.rows import Rows
from annotation_client._sync.transport import Transport


class Checks:
    """``study.checks``. Rows are mappings, as the platform's description of the API has them (``/api/docs/``)."""

    def __init__(self, transport: Transport, study: str) -> None:
        self._transport, self._path = transport, f"{study}/checks"

    def all(self) -> Rows:
        """The checks with who passed them (``share``, ``good``) and what was ``missed``, the oldest first."""
        return Rows(self._transport, self._path)

    def read(self, pk: int) -> dict[str, Any]:
        """One of them."""
        read: dict[str, Any] = self._transport.get(f"{self._path}/{pk}")
        return read

    def add(
        self, checks: str | Path | Iterable[Mapping[str, Any]], *, corpus: int | None = None
    ) -> list[dict[str, Any]]:
        """Make checks, all or none.

        Parameters
        ----------
        checks
            Rows with ``article``, ``question``, ``system``, ``accepted`` (aspect: answers) and ``kind`` (``gold``,
            ``attention``); or a CSV file with a row for each answer and aspect.
        corpus
            Whose answers they are; the study's own without.
        """
        params = {"corpus": corpus}
        if isinstance(checks, str | Path):
            sent: dict[str, Any] = {
                "content": Path(checks).read_bytes(),
                "headers": {"Content-Type": "text/csv"},
            }
        else:
            sent = {"json": {"checks": [dict(row) for row in checks]}}
        reply = self._transport.ask("POST", self._path, params=params, **sent)
        made: list[dict[str, Any]] = reply.json()["results"]
        return made

    def correct(self, pk: int, accepted: Mapping[str, Any]) -> dict[str, Any]:
        """Correct what one accepts; all its judgments are looked at again."""
        changed: dict[str, Any] = self._transport.change(f"{self._path}/{pk}", {"accepted": dict(accepted)})
        return changed

    def retire(self, pk: int) -> dict[str, Any]:
        """Take it out of use: it goes into no more tasks and counts for nobody."""
        return self._post(f"/{pk}/retire")

    def use(self, pk: int) -> dict[str, Any]:
        """Take it into use again."""
        return self._post(f"/{pk}/use")

    def mix(self) -> dict[str, Any]:
        """Mix checks into the tasks of draft batches."""
        return self._post("/mix")

    def rule(self) -> dict[str, Any]:
        """How often checks are mixed in, and what follows when somebody fails them."""
        read: dict[str, Any] = self._transport.get(f"{self._path}/rule")
        return read

    def change_rule(self, **rule: Any) -> dict[str, Any]:
        """Change it (``every=5``, ``action="warn"``, ``most_failed=2``, ``words="…"``); what is left out stays."""
        changed: dict[str, Any] = self._transport.change(f"{self._path}/rule", rule)
        return changed

    def annotators(self) -> list[dict[str, Any]]:
        """Who judged checks, and how many they passed, the lowest share first."""
        found: list[dict[str, Any]] = (self._transport.get(f"{self._path}/annotators"))["results"]
        return found

    def results(self, *, annotator: int | None = None) -> Rows:
        """All judgments of checks with what they missed."""
        return Rows(self._transport, f"{self._path}/results", annotator=annotator)

    def actions(self) -> Rows:
        """What the rule did about annotators, the newest first."""
        return Rows(self._transport, f"{self._path}/actions")

    def undo(self, action: int) -> dict[str, Any]:
        """Take back what the rule did."""
        return self._post(f"/actions/{action}/undo")

    def _post(self, path: str) -> dict[str, Any]:
        reply: dict[str, Any] = self._transport.post(f"{self._path}{path}")
        return reply
