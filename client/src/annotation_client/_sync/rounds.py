# Written by client/scripts/make_sync.py from "_async"; change that.
"""Rounds of qualification: making them, accepted answers, who tried, and verdicts."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation_client._sync.rows import Rows
from annotation_client._sync.transport import Transport
from annotation_client.sending import scheme_of


class Rounds:
    """``study.rounds``. Rows are mappings, as the platform's description of the API has them (``/api/docs/``)."""

    def __init__(self, transport: Transport, study: str) -> None:
        self._transport, self._study, self._path = transport, study, f"{study}/rounds"

    def all(self) -> list[dict[str, Any]]:
        """The rounds with how they stand, in the order in which they are passed."""
        found: list[dict[str, Any]] = (self._transport.get(self._path))["results"]
        return found

    def make(
        self,
        title: str,
        *,
        corpus: int | None = None,
        existing: str | None = None,
        scheme: str | Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> dict[str, Any]:
        """A new round as a draft, after those that there are.

        Parameters
        ----------
        corpus
            Whose questions are asked, all of them.
        existing
            Slug of a study of yours that becomes the round, in place of a corpus.
        scheme
            How the corpus is judged (a file, a definition, a preset); otherwise as in this study.
        settings
            ``rule``, ``least_percent``, ``best_count``, ``least_overlap``, ``is_reviewed``, ``attempts_allowed``,
            ``valid_days``, ``shows_answers``.
        """
        about = {"corpus": corpus, "existing": existing, "scheme": None if scheme is None else scheme_of(scheme)}
        given = {name: value for name, value in about.items() if value is not None}
        return self._post(self._path, {"title": title, **given, **settings})

    def read(self, round: int) -> dict[str, Any]:
        """One round, and how it stands."""
        found: dict[str, Any] = self._transport.get(f"{self._path}/{round}")
        return found

    def change(self, round: int, **settings: Any) -> dict[str, Any]:
        """Change who passes from now on; verdicts that were given stay."""
        found: dict[str, Any] = self._transport.change(f"{self._path}/{round}", settings)
        return found

    def items(self, round: int) -> list[dict[str, Any]]:
        """Its items by ``number``, with what is accepted."""
        found: list[dict[str, Any]] = (self._transport.get(f"{self._path}/{round}/items"))["results"]
        return found

    def accept(self, round: int, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Write what is accepted for many items, all or none.

        Rows have ``number``, ``accepted`` (aspect → answers), and ``must_pass`` and ``explanation`` if you like.
        """
        reply = self._post(f"{self._path}/{round}/items", {"items": [dict(row) for row in rows]})
        found: list[dict[str, Any]] = reply["results"]
        return found

    def open(self, round: int) -> dict[str, Any]:
        """Let people try, for the first time or again."""
        return self._post(f"{self._path}/{round}/open", {})

    def end(self, round: int) -> dict[str, Any]:
        """Let nobody try any more; where the best pass, it is decided who they are."""
        return self._post(f"{self._path}/{round}/end", {})

    def move_up(self, round: int) -> dict[str, Any]:
        """Have it passed before the one that it follows."""
        return self._post(f"{self._path}/{round}/up", {})

    def attempts(self, round: int) -> Rows:
        """Who tried, with what came of it, the newest first."""
        return Rows(self._transport, f"{self._path}/{round}/attempts")

    def attempt(self, attempt: int) -> dict[str, Any]:
        """An attempt item by item: what was said beside what is accepted."""
        found: dict[str, Any] = self._transport.get(f"{self._study}/attempts/{attempt}")
        return found

    def decide(
        self, attempt: int, verdict: str, *, note: str = "", item_notes: Mapping[int, str] | None = None
    ) -> dict[str, Any]:
        """Let an attempt be ``passed`` or ``failed``; the annotator reads the notes (``item_notes``: by ``item``)."""
        notes = {str(item): text for item, text in (item_notes or {}).items()}
        body = {"verdict": verdict, "note": note, "item_notes": notes}
        return self._post(f"{self._study}/attempts/{attempt}/decide", body)

    def confirm(self, round: int) -> dict[str, Any]:
        """Give all who wait the verdict that the rule proposes; whom it leaves to a person waits on."""
        return self._post(f"{self._path}/{round}/confirm", {})

    def decide_by_hand(
        self, round: int, annotators: Sequence[int], verdict: str, *, note: str = ""
    ) -> list[dict[str, Any]]:
        """Let annotators be ``passed`` or ``failed``, whatever they tried; all of them or none."""
        body = {"annotators": list(annotators), "verdict": verdict, "note": note}
        found: list[dict[str, Any]] = (self._post(f"{self._path}/{round}/by-hand", body))["results"]
        return found

    def _post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        reply: dict[str, Any] = self._transport.post(path, dict(body))
        return reply
