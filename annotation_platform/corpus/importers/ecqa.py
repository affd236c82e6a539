"""Questions with explanations as ECQA and CoS-E publish them: a table, in their own column names.

ECQA: ``q_no, q_text, q_op1 … q_op5, q_ans, taskB``. CoS-E: ``id, question, choices, answer, abstractive_explanation``.
An answer may be the choice's text, its letter or its number from 1.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from annotation_platform.core.schemes import Scheme
from annotation_platform.core.text import typed_number
from annotation_platform.corpus.importers.fields import ALIASES, MOST_BESIDE, choice_fields, fields_of
from annotation_platform.corpus.importers.format import Field, Options
from annotation_platform.corpus.importers.mistakes import Mistakes
from annotation_platform.corpus.importers.row_reader import RowReader
from annotation_platform.corpus.importers.table import Table


class Ecqa(Table):
    key = "ecqa"
    called = "corpus.format_ecqa"
    preset = "rev"
    row_is_question = True
    aliases: ClassVar[Mapping[str, str]] = {
        **ALIASES,
        "q_no": "question_id",
        "q_text": "question",
        "q_ans": "answer",
        "answerkey": "answer",
        "taskb": "rationale",
        "abstractive_explanation": "rationale",
        "open_ended": "rationale",
        **{f"{name}{n}": f"choice.{n}" for n in range(1, MOST_BESIDE + 1) for name in ("q_op", "op", "option_")},
    }

    def fits(self, beginning: str, suffix: str) -> bool:
        names = ("q_text", "abstractive_explanation")
        return super().fits(beginning, suffix) and any(name in beginning for name in names)

    def fields(self, options: Options) -> list[Field]:
        fields = fields_of(self.scheme(options))
        taken = {field.key for field in fields}
        return [*fields, *(field for field in choice_fields() if field.key not in taken)]

    def reading(self, scheme: Scheme, options: Options, mapping: Mapping[str, str], mistakes: Mistakes) -> RowReader:
        return _RowReader(scheme, options.language, mapping, mistakes, row_is_question=True, values=options.values)


class _RowReader(RowReader):
    def _answer(self, said: Mapping[str, Any]) -> str:
        answer, choices = super()._answer(said), self._choices(said)
        if answer in choices:
            return answer
        place = ord(answer.upper()) - ord("A") if len(answer) == 1 and answer.isalpha() else -1
        if (number := typed_number(answer)) is not None:
            place = number - 1
        return choices[place] if 0 <= place < len(choices) else answer
