"""What can only be checked once everything was read: judgments against their items, and HITs against judgments."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes import BestOfAspect, InvalidJudgmentError, Scheme, check_judgment
from annotation_platform.core.schemes.aspects import CHOICE_LETTERS, TIE
from annotation_platform.core.schemes.judgment import check_earlier_judgment
from annotation_platform.corpus.importers.cells import YES
from annotation_platform.corpus.importers.fields import PRESENTED
from annotation_platform.corpus.importers.marked_texts import conversations_by_answer, lengths_by_answer
from annotation_platform.corpus.importers.mistakes import Mistakes, wrong_at
from annotation_platform.corpus.importers.spelling import Spelling
from annotation_platform.corpus.importers.staged import ImportedStudy, QuestionJudged
from annotation_platform.corpus.importers.staging import origin_of


def check_study(study: ImportedStudy, mistakes: Mistakes) -> None:
    """Check references and judgments, and put the judgments' values into the scheme's canonical form."""
    for name, file, location in study.rows.execute(
        "SELECT d.value, q.file, q.location FROM question q, json_each(q.documents) d"
        " WHERE d.value NOT IN (SELECT name FROM article)"
    ):
        mistakes.add(wrong_at(study.where(origin_of(file, location)), "corpus.no_article", name=name))
    _check_parts(study, mistakes)
    spelling = Spelling(study.header.definition) if study.header.is_spelled else None
    for page in study.pages("SELECT DISTINCT question FROM judgment WHERE question > ? ORDER BY question"):
        questions = study.questions_judged(question for (question,) in page)
        lengths, turns = lengths_by_answer(study, questions), conversations_by_answer(study, questions)
        rows = study.rows.execute(
            "SELECT id, question, answer, said, presented, file, location FROM judgment WHERE question BETWEEN ? AND ?"
            " ORDER BY id",
            (page[0][0], page[-1][0]),
        ).fetchall()
        checked = []
        for number, question, answer, said, presented, file, location in rows:
            about = questions[question].with_texts(lengths.get(answer, ()), turns.get(answer, ()))
            try:
                _check_order(about, json.loads(presented))
                values, broken = _checked(study, about, json.loads(said), spelling)
            except InvalidJudgmentError as error:
                for key, reason in error.errors.items():
                    mistakes.add(wrong_at(_where(study, file, location, key), _in_a_file(reason)))
            else:
                checked.append((json.dumps(values), json.dumps(broken), number))
        study.write("UPDATE judgment SET said = ?, broken = ? WHERE id = ?", checked)


def _check_parts(study: ImportedStudy, mistakes: Mistakes) -> None:
    """Questions and answers of which no row said what they are, and groups too large to be judged side by side."""
    if study.scheme.judges_candidates:
        for count, file, location in study.rows.execute(
            "SELECT COUNT(*), q.file, q.location FROM answer a JOIN question q ON q.id = a.question"
            f" GROUP BY q.id HAVING COUNT(*) > {len(CHOICE_LETTERS)}"
        ):
            reason = Reason("corpus.too_many_side_by_side", count=count, most=len(CHOICE_LETTERS))
            mistakes.add(wrong_at(study.where(origin_of(file, location)), reason))
    for name, file, location in study.rows.execute("SELECT name, file, location FROM question WHERE text = ''"):
        mistakes.add(wrong_at(study.where(origin_of(file, location)), "corpus.question_without_text", name=name))
    for part in sorted(study.header.needs):
        for system, file, location in study.rows.execute(
            f"SELECT system, file, location FROM answer WHERE {part} = ''"
        ):
            what = "answer" if part == "text" else part
            mistakes.add(
                wrong_at(study.where(origin_of(file, location)), "corpus.part_blank", what=what, system=system)
            )


def check_hits(study: ImportedStudy, *, overlap: int, questions_per_hit: int) -> None:
    """Check that judgments come by whole HITs; the places of the answers must have been noted.

    Raises
    ------
    ImportFileError
        When somebody judged a HIT in part, or more people judged one than the overlap allows.
    """
    mistakes = Mistakes()
    takers = (
        "SELECT a.hit AS hit, j.annotator AS annotator, COUNT(DISTINCT a.item) AS judged, MIN(j.id) AS first,"
        " (SELECT COUNT(DISTINCT item) FROM answer WHERE hit = a.hit) AS shown"
        " FROM judgment j JOIN answer a ON a.id = j.answer GROUP BY a.hit, j.annotator, j.replicate"
    )
    for hit, annotator, judged, first, shown in study.rows.execute(
        f"SELECT * FROM ({takers}) WHERE judged < shown ORDER BY first"
    ).fetchall():
        mistakes.add(
            wrong_at(
                _where_judgment(study, first),
                "corpus.hit_not_whole",
                annotator=annotator,
                judged=judged,
                shown=shown,
                not_judged=_not_judged(study, hit, first),
                questions_per_hit=questions_per_hit,
            )
        )
    for hit, count in study.rows.execute(
        f"SELECT hit, COUNT(*) FROM ({takers}) GROUP BY hit HAVING COUNT(*) > ?", (overlap,)
    ).fetchall():
        one_too_many = study.one(
            f"SELECT first FROM ({takers}) WHERE hit = ? ORDER BY first LIMIT 1 OFFSET ?", hit, overlap
        )
        where = _where_judgment(study, one_too_many)
        mistakes.add(wrong_at(where, "corpus.hit_over_overlap", count=count, overlap=overlap))
    mistakes.refuse()


def _check_order(about: QuestionJudged, presented: Sequence[int]) -> None:
    """Refuse an order of candidates that does not name each of them once."""
    if presented and (sorted(presented) != sorted(about.called) or len(about.called) != len(about.systems)):
        reason = Reason("corpus.order_of_others", shown=[*map(str, presented)], there=[*map(str, sorted(about.called))])
        raise InvalidJudgmentError({PRESENTED: reason})


def _checked(
    study: ImportedStudy, about: QuestionJudged, said: dict[str, Any], spelling: Spelling | None
) -> tuple[dict[str, Any], list[str]]:
    """The values in their canonical form, and the keys of those that break a rule of today."""
    raw = _by_number(study.scheme, said, about.systems)
    if spelling is not None:
        aspects = {slot.key: slot.aspect for slot in study.scheme.slots(about.shape)}
        read = {key: spelling.read(aspects[key], raw[key], about.choices) for key in raw if key in aspects}
        raw = {key: value for key, value in (raw | read).items() if value is not None}
    try:
        return check_judgment(study.scheme, raw, about.shape, not_asked=study.not_asked), []
    except InvalidJudgmentError as error:
        if not study.header.is_export:
            raise
        refused = error.errors.keys()
    read_again = check_earlier_judgment(study.scheme, raw, about.shape)
    if read_again.errors:
        raise InvalidJudgmentError(read_again.errors)
    study.lacking.update({key.partition(".")[0] for key in refused - read_again.broken.keys()})
    return read_again.values, sorted(read_again.broken)


def _by_number(scheme: Scheme, values: Mapping[str, Any], systems: Sequence[str]) -> dict[str, Any]:
    """A group's values, in which the file names candidates by their systems, keyed as the scheme keys them."""
    if not scheme.judges_candidates:
        return dict(values)
    number = {system: str(position) for position, system in enumerate(systems, start=1)}
    named: dict[str, Any] = {}
    aspects = {aspect.key: aspect for aspect in scheme.aspects}
    for key, value in values.items():
        aspect = aspects.get(key)
        if aspect is not None and aspect.per == "candidate" and isinstance(value, dict):
            named |= {f"{key}.{number.get(str(system), system)}": each for system, each in value.items()}
        elif isinstance(aspect, BestOfAspect):
            named[key] = _best(key, value, number) if isinstance(value, dict) else number.get(str(value), value)
        else:
            named[key] = value
    return named


def _best(key: str, marks: Mapping[str, str], number: Mapping[str, str]) -> str:
    """The best candidate where each row of a group says whether its own one is; or that they are equally good."""
    if set(marks.values()) == {TIE}:
        return TIE
    best = [system for system, mark in marks.items() if mark == YES]
    if len(best) != 1 or TIE in marks.values():
        raise InvalidJudgmentError({key: Reason("corpus.not_one_best", count=len(best))})
    return number[best[0]]


def _where(study: ImportedStudy, file: int, location: str, key: str) -> str:
    """Where the value of a slot stands."""
    names = study.header.names
    name = names.get(key) or names.get(key.partition(".")[0]) or key
    return study.where(origin_of(file, location), *study.header.values_at, name)


def _in_a_file(reason: Reason) -> Reason:
    """What is wrong with a value, in words for who has written a file and not filled in a form."""
    return Reason("corpus.text_empty") if reason.code == "judgment.text_missing" else reason


def _where_judgment(study: ImportedStudy, judgment: int) -> str:
    file, location = study.rows.execute("SELECT file, location FROM judgment WHERE id = ?", (judgment,)).fetchone()
    return study.where(origin_of(file, location))


def _not_judged(study: ImportedStudy, hit: int, judgment: int) -> list[str]:
    """The answers of a HIT that the annotator of a judgment did not judge in it."""
    rows = study.rows.execute(
        "SELECT q.name, a.system FROM answer a JOIN question q ON q.id = a.question WHERE a.hit = ? AND a.item NOT IN"
        " (SELECT b.item FROM judgment j JOIN answer b ON b.id = j.answer JOIN judgment one ON one.id = ?"
        " WHERE b.hit = a.hit AND j.annotator = one.annotator AND j.replicate = one.replicate) ORDER BY a.id",
        (hit, judgment),
    ).fetchall()
    group = study.scheme.judges_candidates
    answers = dict.fromkeys((question, "" if group else system) for question, system in rows)
    return [
        Reason("corpus.answer_to", question=question, system=system) if system else question
        for question, system in answers
    ]
