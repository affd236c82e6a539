"""EVOUNA: questions of open-domain question answering, the answers of several systems, and human verdicts (JSON).

An element has ``question``, ``golden_answer`` (alternatives with a slash between), and for each system
``answer_SYSTEM`` and ``judge_SYSTEM`` (true or false). Questions marked ``improper`` are left out, and so is an answer
that is not there or has no verdict; both are counted. The verdict is the scheme's first yes-or-no aspect; nothing
else was asked.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes import Scheme, YesNoAspect
from annotation_platform.corpus.importers.format import PREVIEWED, Format, Options, Preview
from annotation_platform.corpus.importers.mistakes import ImportFileError, Mistakes, RowError, reason_of, wrong_at
from annotation_platform.corpus.importers.rows import Row, RowFile, first_rows
from annotation_platform.corpus.importers.study import (
    NO_DOCUMENT,
    Entry,
    Finished,
    Header,
    ImportedAnswer,
    ImportedArticle,
    ImportedJudgment,
    ImportedQuestion,
    LeftOut,
    Origin,
)

ANNOTATOR = "EVOUNA"  # the release does not tell its people apart
ANSWER, VERDICT = "answer_", "judge_"
_BETWEEN = re.compile(r"(?<!\d)/|/(?!\d)")  # 24/7 is one answer


class Evouna(Format):
    key = "evouna"
    called = "corpus.format_evouna"
    preset = "equivalence"

    def _open(self, path: Path, name: str, sheet: str) -> RowFile:
        return RowFile(path, name)

    def fits(self, beginning: str, suffix: str) -> bool:
        return suffix in (".json", ".jsonl") and '"golden_answer"' in beginning

    def preview(self, sources: Sequence[RowFile], options: Options) -> Preview:
        rows = [row.values for row in first_rows(sources[0], PREVIEWED)]
        columns = list(dict.fromkeys(column for row in rows for column in row))
        return Preview(columns, [[str(row.get(column, ""))[:300] for column in columns] for row in rows])

    def begin(self, sources: Sequence[RowFile], options: Options, mistakes: Mistakes) -> tuple[Header, Iterator[Entry]]:
        scheme = self.scheme(options)
        aspect = _verdict(scheme)
        header = Header(
            language=options.language,
            definition=self.definition(options),
            not_asked=frozenset(each.key for each in scheme.aspects) - {aspect},
            finished=Finished.JUDGED,
            is_spelled=True,
        )
        return header, _entries(sources, aspect, mistakes)


def _verdict(scheme: Scheme) -> str:
    aspect = next((each for each in scheme.aspects if isinstance(each, YesNoAspect) and each.per == "item"), None)
    if aspect is None or scheme.judges_candidates:
        raise ImportFileError([wrong_at(Reason("corpus.the_scheme", key=scheme.key), "corpus.scheme_without_verdict")])
    return aspect.key


def _entries(sources: Sequence[RowFile], aspect: str, mistakes: Mistakes) -> Iterator[Entry]:
    yield ImportedArticle(NO_DOCUMENT, Origin(0, ()))
    for file, source in enumerate(sources):
        for number, row in enumerate(source.rows(mistakes), start=1):
            name = f"{file + 1}-{number}" if file else str(number)
            try:
                yield from _question(name, row, Origin(file, (row.line,)), aspect)
            except ValueError as error:
                mistakes.add(wrong_at(source.where((row.line,)), reason_of(error)))


def _question(name: str, row: Row, origin: Origin, aspect: str) -> Iterator[Entry]:
    given = row.values
    if _flag(given, "improper"):
        yield LeftOut("corpus.questions_improper")
        return
    references = [part.strip() for part in _BETWEEN.split(_text(given, "golden_answer"))]
    if not (text := _text(given, "question").strip()) or not any(references):
        raise RowError("corpus.field_blank", field="golden_answer" if text else "question")
    yield ImportedQuestion(NO_DOCUMENT, name, origin, text, reference_answers=list(filter(None, references)))
    systems = [column.removeprefix(ANSWER) for column in given if column.startswith(ANSWER)]
    if not systems:
        raise RowError("corpus.no_system_answers", answer=ANSWER, verdict=VERDICT)
    for system in systems:
        answer = _text(given, f"{ANSWER}{system}").strip()
        verdict = _flag(given, f"{VERDICT}{system}")
        if not answer:
            yield LeftOut("corpus.answers_without_text")
        elif verdict is None:
            yield LeftOut("corpus.answers_without_verdict")
        else:
            at = origin.inside(f"{VERDICT}{system}")
            yield ImportedAnswer(NO_DOCUMENT, name, system, origin.inside(f"{ANSWER}{system}"), answer)
            yield ImportedJudgment(NO_DOCUMENT, name, system, ANNOTATOR, {aspect: verdict}, at)


def _text(given: dict[str, Any], column: str) -> str:
    value = given.get(column)
    if value is not None and not isinstance(value, str):
        raise RowError("corpus.field_no_text", column=column)
    return value or ""


def _flag(given: dict[str, Any], column: str) -> bool | None:
    value = given.get(column)
    if value is not None and not isinstance(value, bool):
        raise RowError("corpus.field_no_flag", column=column)
    return value
