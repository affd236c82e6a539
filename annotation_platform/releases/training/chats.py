"""Judgments of a release as chats to train a judge on: the platform's prompt of the judge, and what a person said.

One chat is one judgment of one answer. The reply is JSON with the label of every aspect that has labels, and the texts
in which the annotator says why.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.items import Answer, ItemTexts
from annotation_platform.core.methods.judging.format import Format, JudgeFormat, judge_prompts
from annotation_platform.core.methods.judging.questions import ReplyForm, render_reply
from annotation_platform.core.schemes import Scheme
from annotation_platform.core.schemes.aspects import CANNOT_JUDGE
from annotation_platform.core.turns import Turn, turns_of
from annotation_platform.releases.freeze.rows import Row, rows_of

ASKING = JudgeFormat(format=Format.SIMPLE, form=ReplyForm.JSON, explain=True)


@dataclass(frozen=True)
class Chats(Collection[Mapping[str, Any]]):
    """The chats of a release, made one by one whenever they are gone through.

    Raises
    ------
    InvalidInputError
        When the scheme judges groups of candidates, whose judgments are several rows.
    """

    folder: Path
    scheme: Scheme

    def __post_init__(self) -> None:
        if self.scheme.judges_candidates:
            raise InvalidInputError("releases.no_chats_of_groups")

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return (chat_of(self.scheme, row) for row in self._rows() if not row.said.get(CANNOT_JUDGE))

    def __len__(self) -> int:
        return sum(not row.said.get(CANNOT_JUDGE) for row in self._rows())

    def __contains__(self, chat: object) -> bool:
        return any(each == chat for each in self)

    @property
    def dropped(self) -> dict[str, int]:
        """Judgments that say that the annotator could not judge."""
        count = sum(bool(row.said.get(CANNOT_JUDGE)) for row in self._rows())
        return {"releases.judgments_without_value": count} if count else {}

    def _rows(self) -> Iterator[Row]:
        return rows_of(self.folder, self.scheme)


def chat_of(scheme: Scheme, judgment: Row) -> dict[str, Any]:
    """One judgment as messages: system, user (the item, and what is asked), assistant (the reply)."""
    row, said = judgment
    item = ItemTexts(
        question=row["question"],
        turns=_turns(row.get("question_turns")),
        choices=tuple(_texts(row.get("choices"))),
        reference_answers=tuple(_texts(row.get("reference_answers"))),
        answers=(Answer(0, row["answer"], row.get("rationale") or "", _turns(row.get("answer_turns"))),),
    )
    (prompt,) = judge_prompts(scheme, item, ASKING)
    values = {aspect.key: said[aspect.key] for aspect in scheme.aspects}
    reply = render_reply(prompt.questions, values, ReplyForm.JSON)
    return {"messages": [*prompt.messages, {"role": "assistant", "content": reply}]}


def _turns(cell: str | None) -> tuple[Turn, ...]:
    return turns_of(json.loads(cell)) if cell else ()


def _texts(cell: str | None) -> list[str]:
    """The texts of a cell of an export: one a line, or a JSON list."""
    if not cell:
        return []
    return [str(each) for each in json.loads(cell)] if cell.startswith('["') else cell.split("\n")
