"""Votes of an arena: two conversations beside one another, whose models, and which one is better.

Rows as LMSYS publishes them (``chatbot_arena_conversations``, and ``mt_bench_human_judgments``, whose rows name the
turn that was judged): JSON Lines, CSV or Parquet.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from annotation_platform.corpus.importers.arrow import SUFFIX as ARROW
from annotation_platform.corpus.importers.cells import whole_number
from annotation_platform.corpus.importers.comparisons import Comparisons, Composed, beside, winner_of
from annotation_platform.corpus.importers.conversations import list_of_messages
from annotation_platform.corpus.importers.mistakes import STRANGE, Mistakes, RowError, reason_of, wrong_at
from annotation_platform.corpus.importers.parquet import SUFFIX as PARQUET
from annotation_platform.corpus.importers.rows import Row, RowFile
from annotation_platform.corpus.importers.study import LeftOut

NEEDED = {"question_id", "model_a", "model_b", "conversation_a", "conversation_b"}
NAMES = {"model_a": 1, "model_b": 2}


class Arena(Comparisons):
    key = "arena"
    called = "corpus.format_arena"
    in_folders: ClassVar[Sequence[str]] = (".jsonl", ".csv", PARQUET, ARROW)

    def fits(self, beginning: str, suffix: str) -> bool:
        return suffix in (".jsonl", ".json", ".csv") and all(
            name in beginning for name in ("conversation_a", "model_a")
        )

    def composed(
        self, sources: Sequence[RowFile], *, is_group: bool, mistakes: Mistakes
    ) -> Iterator[Composed | LeftOut]:
        for file, source in enumerate(sources):
            for row in source.rows(mistakes):
                try:
                    yield from _pair(file, row) if is_group else _alone(file, row)
                except STRANGE as error:
                    strange = reason_of(error) if isinstance(error, ValueError) else "corpus.no_arena"
                    mistakes.add(wrong_at(source.where((row.line,)), strange))


def _pair(file: int, row: Row) -> Iterator[Composed | LeftOut]:
    first, second = _answers(row.values)
    cells, presented = beside(first, second, [1, 2])
    systems = sorted(map(str, (first["system"], second["system"])))
    said = str(row.values.get("winner") or "")
    winner = winner_of(said, NAMES, str(first["system"]), str(second["system"]))
    if said and not winner:
        yield LeftOut("corpus.votes_unread", {"vote": said[:40]})
    judged = {
        "annotator": row.values.get("judge") or "arena",
        "winner": winner,
        "judged_at": row.values.get("tstamp"),
    }
    name = _name(row.values)
    of_pair = f"{name}/{' '.join(systems)}" if row.values.get("turn") else name
    said_of_it = judged if winner else dict.fromkeys(judged)
    yield Composed(file, row.line, {"question_id": of_pair} | cells | said_of_it, presented if winner else ())


def _alone(file: int, row: Row) -> Iterator[Composed | LeftOut]:
    if row.values.get("winner"):
        yield LeftOut("corpus.votes_need_groups")
    for answer in _answers(row.values):
        said = [each.get("role", each.get("from")) for each in answer["conversation"]]
        is_own = said.count("assistant") > 1
        name = f"{_name(row.values)}/{answer['system']}" if is_own else _name(row.values)
        yield Composed(file, row.line, {"question_id": name} | answer)


def _name(values: Mapping[str, Any]) -> str:
    return f"{values['question_id']}/{values['turn']}" if values.get("turn") else str(values["question_id"])


def _answers(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Both answers as cells, each conversation up to the turn that was judged, if the row says which."""
    if not values.keys() >= NEEDED:
        raise RowError("corpus.no_arena")
    if values["model_a"] == values["model_b"]:
        raise RowError("corpus.same_model_twice", system=str(values["model_a"])[:80])
    turn = whole_number(values["turn"], "turn", least=1) if values.get("turn") else None
    return [
        {
            "system": values[f"model_{letter}"],
            "conversation": _up_to(list_of_messages(values[f"conversation_{letter}"]), turn),
        }
        for letter in "ab"
    ]


def _up_to(messages: Any, turn: int | None) -> Any:
    """The messages up to the reply of a turn, counted from 1."""
    if turn is None:
        return messages
    replies = [place for place, each in enumerate(messages) if each.get("role") == "assistant"]
    return messages[: replies[turn - 1] + 1] if len(replies) >= turn else messages
