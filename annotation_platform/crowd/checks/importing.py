"""Storing the checks of a file, with every mistake named by its row."""

from collections.abc import Sequence

from annotation_platform.accounts.actors import Actor
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.qualification import AcceptedAnswersError, check_accepted
from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes import ItemShape
from annotation_platform.corpus.models import Answer, Corpus
from annotation_platform.crowd.checks.files import WrittenCheck
from annotation_platform.crowd.checks.models import Check
from annotation_platform.crowd.checks.services import NewCheck, add_checks
from annotation_platform.crowd.checks.services.making import ROWS_AT_ONCE, shapes_of
from annotation_platform.studies.models import Study


def import_checks(*, study: Study, corpus: Corpus, written: Sequence[WrittenCheck], actor: Actor) -> list[Check]:
    """Store checks about answers of a corpus; all of them or none.

    Under a scheme that judges candidates, a check is a question with all its answers, numbered by their systems'
    names; otherwise it is the answer of the system that it names, or the only one.

    Raises
    ------
    InvalidInputError
        With a line for each mistake.
    """
    answers = _answers(corpus, written)
    found = [_check(study, answers.get((each.article, each.question), []), each) for each in written]
    new = [check for check in found if check is not None]
    shapes = shapes_of(study.scheme(), new)
    unread = iter(shapes)
    known = set(study.checks.values_list("identity", flat=True))
    mistakes: list[str] = []
    for each, check in zip(written, found, strict=True):
        if check is None:
            mistakes.append(Reason("crowd.checks_no_answer", where=each.where))
            continue
        if check.identity in known:
            mistakes.append(
                Reason("crowd.checks_line_wrong", where=each.where, why=Reason("crowd.check_there_already"))
            )
        known.add(check.identity)
        mistakes += _wrong(study, each, next(unread))
    if mistakes:
        raise InvalidInputError("crowd.file_wrong", mistakes)
    return add_checks(study=study, new=new, actor=actor, shapes=shapes)


def _answers(corpus: Corpus, written: Sequence[WrittenCheck]) -> dict[tuple[str, str], list[Answer]]:
    """The answers to the questions that are named, by the names of article and question, in the order of systems."""
    found: dict[tuple[str, str], list[Answer]] = {}
    names = list({(each.article, each.question) for each in written})
    for first in range(0, len(names), ROWS_AT_ONCE):
        named = set(names[first : first + ROWS_AT_ONCE])
        rows = Answer.objects.filter(
            question__article__corpus=corpus,
            question__article__external_id__in={article for article, _ in named},
            question__external_id__in={question for _, question in named},
        )
        for answer in rows.select_related("question__article__corpus", "system").order_by("system__name"):
            which = answer.question.article.external_id, answer.question.external_id
            if which in named:
                found.setdefault(which, []).append(answer)
    return found


def _check(study: Study, answers: Sequence[Answer], written: WrittenCheck) -> NewCheck | None:
    if not study.scheme().judges_candidates:
        if written.system:
            answers = [answer for answer in answers if answer.system.name == written.system]
        if len(answers) != 1:
            return None
    if not answers:
        return None
    return NewCheck(answers[0].question, answers, written.accepted, Check.Kind(written.kind))


def _wrong(study: Study, written: WrittenCheck, shape: ItemShape) -> list[str]:
    try:
        accepted = check_accepted(study.scheme(), written.accepted, shape)
    except AcceptedAnswersError as refused:
        return [
            Reason("crowd.checks_slot_wrong", where=written.places.get(slot, written.where), slot=slot, why=why)
            for slot, why in refused.errors.items()
        ]
    if not accepted:
        return [Reason("crowd.checks_line_wrong", where=written.where, why=Reason("crowd.check_accepts_nothing"))]
    return []
