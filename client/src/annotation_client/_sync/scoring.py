# Written by client/scripts/make_sync.py from "_async"; change that.
"""What runs rest on and leave behind: settings, connections, replies to read, passages, runs beside each other."""

from collections.abc import Sequence
from typing import Any

from annotation_client._sync.connections import Connections
from annotation_client._sync.rows import Rows
from annotation_client._sync.transport import Transport


class Scoring(Connections):
    """``study.scoring``. Rows are mappings, as the platform's description of the API has them (``/api/docs/``)."""

    def __init__(self, transport: Transport, study: str) -> None:
        self._transport, self._path = transport, study

    def settings(self) -> dict[str, Any]:
        """Who scores when a batch closes, over which connection, with which prompt, at most at what cost."""
        return self._get("/scoring")

    def change(self, **settings: Any) -> dict[str, Any]:
        """Change ``scorer``, ``connection``, ``budget`` (US dollars) or ``prompt_template`` for the next runs."""
        if settings.get("budget") is not None:
            settings["budget"] = str(settings["budget"])
        found: dict[str, Any] = self._transport.change(f"{self._path}/scoring", settings)
        return found

    def unread(self) -> Rows:
        """Replies of models in which no rule found a label that is surely one, the oldest first."""
        return Rows(self._transport, f"{self._path}/unread-replies")

    def reply(self, pk: int) -> dict[str, Any]:
        """One of them with its words, and the ``options`` that can be chosen."""
        return self._get(f"/unread-replies/{pk}")

    def read_as(self, pk: int, choice: str) -> None:
        """Say which label a reply gives; ``!none``: it gives none, ``!open``: nothing was to answer."""
        self._transport.ask("POST", f"{self._path}/unread-replies/{pk}", json={"choice": choice})

    def passages(self, run: int) -> Rows:
        """Passages that a run showed to a model, which look like orders to it, and which nobody has looked at."""
        return Rows(self._transport, f"{self._path}/runs/{run}/passages")

    def dismiss(self, passage: int) -> None:
        """Note that you looked at a passage and found it harmless."""
        self._transport.ask("POST", f"{self._path}/passages/{passage}/dismiss", json={})

    def scores(self, run: int, *, fields: Sequence[str] | None = None) -> Rows:
        """The scores that a run gave to judgments, each with the ``reply`` that it was read from.

        ``fields`` names those that are wanted; without ``reply``, much less is sent.
        """
        return self._found(run, "scores", fields)

    def labels(self, run: int, *, fields: Sequence[str] | None = None) -> Rows:
        """What was read from each reply about each item, with the ``reply``; ``fields`` as for :meth:`scores`."""
        return self._found(run, "labels", fields)

    def item_scores(self, run: int, *, fields: Sequence[str] | None = None) -> Rows:
        """What a run holds of each aspect or measure of each item; ``fields`` as for :meth:`scores`."""
        return self._found(run, "item-scores", fields)

    def compare(self, run: int, other: int) -> dict[str, Any]:
        """Two runs of one method: ``settings`` that each was told, and how far ``aspects`` lie apart."""
        return self._get(f"/runs/{run}/beside/{other}")

    def _found(self, run: int, what: str, fields: Sequence[str] | None) -> Rows:
        chosen = ",".join(fields) if fields else None
        return Rows(self._transport, f"{self._path}/runs/{run}/{what}", fields=chosen)

    def _get(self, path: str) -> dict[str, Any]:
        found: dict[str, Any] = self._transport.get(f"{self._path}{path}")
        return found

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = self._transport.post(f"{self._path}{path}", body)
        return found
