"""Adding checks, taking them out of use, and the study's rule about them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import differences, record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.qualification import check_accepted
from annotation_platform.core.schemes import ItemShape, Scheme
from annotation_platform.corpus.models import Answer, Question
from annotation_platform.crowd.checks.models import MOST_WORDS, Action, Check, CheckAnswer, CheckRule
from annotation_platform.crowd.held_scheme import hold_scheme
from annotation_platform.studies.models import Study
from annotation_platform.studies.selectors import documents_of, fit_of, lengths_of_answers, turns_of_answers

FIELDS = ("every", "mixes_by_itself", "action", "most_failed", "least_percent", "least_judged", "words")
ROWS_AT_ONCE = 1_000
LIMITS = {"every": (1, 1_000), "most_failed": (1, 1_000), "least_percent": (1, 100), "least_judged": (1, 1_000)}


@dataclass(frozen=True)
class NewCheck:
    """A check to be. ``answers``: one of them, or the candidates in the order of their numbers."""

    question: Question
    answers: Sequence[Answer]
    accepted: Mapping[str, Any]
    kind: Check.Kind = Check.Kind.GOLD

    @property
    def identity(self) -> str:
        return ",".join(map(str, sorted(answer.pk for answer in self.answers)))

    def shape(self, scheme: Scheme) -> ItemShape:
        """As of an item with these answers."""
        return shapes_of(scheme, [self])[0]


def shapes_of(scheme: Scheme, new: Sequence[NewCheck]) -> list[ItemShape]:
    """The shape of each, as of an item with its answers."""
    documents: dict[int, tuple[int, ...]] = {}
    questions = list({each.question.pk for each in new})
    for first in range(0, len(questions), ROWS_AT_ONCE):
        documents |= documents_of(questions[first : first + ROWS_AT_ONCE])
    lengths = lengths_of_answers(scheme, [(each.question, each.answers) for each in new])
    return [
        ItemShape(
            sentences=each.question.article.sentence_count,
            documents=documents.get(each.question.pk, ()),
            choices=len(each.question.choices),
            candidates=len(each.answers),
            texts=texts,
            turns=turns_of_answers(scheme, each.question, each.answers),
        )
        for each, texts in zip(new, lengths, strict=True)
    ]


@transaction.atomic
def add_checks(
    *,
    study: Study,
    new: Sequence[NewCheck],
    actor: Actor,
    shapes: Sequence[ItemShape] | None = None,
    made_under: str = "",
) -> list[Check]:
    """Store checks of a study; all of them or none. ``shapes``: those of :func:`shapes_of`, where they are known.

    ``made_under``: the signature of the scheme's version that a form was made from.

    Raises
    ------
    AcceptedAnswersError
        When the scheme cannot have what is accepted.
    InvalidInputError
        When nothing is accepted, the study has a check with these answers, or their corpus lacks what the scheme shows.
    ConflictError
        See :func:`hold_scheme`.
    """
    asked_under = study.scheme_version_id
    hold_scheme(study, made_under=made_under)
    scheme = study.scheme()
    if study.scheme_version_id != asked_under:
        shapes = None
    _check_fit(study, scheme, new)
    known = set(study.checks.values_list("identity", flat=True))
    rows = []
    for each, shape in zip(new, shapes_of(scheme, new) if shapes is None else shapes, strict=True):
        accepted = check_accepted(scheme, each.accepted, shape)
        if not accepted:
            raise InvalidInputError("crowd.check_accepts_nothing")
        if each.identity in known:
            raise InvalidInputError("crowd.check_there_already")
        known.add(each.identity)
        rows.append(
            Check(study=study, question=each.question, kind=each.kind, accepted=accepted, identity=each.identity)
        )
    made = Check.objects.bulk_create(rows)
    CheckAnswer.objects.bulk_create(
        CheckAnswer(check_item=check, answer=answer, number=number)
        for check, each in zip(made, new, strict=True)
        for number, answer in enumerate(each.answers, start=1)
    )
    if made:
        record(actor, Verb.CHECKS_ADDED, study, study=study, change={"checks": (0, len(made))})
    return made


def _check_fit(study: Study, scheme: Scheme, new: Sequence[NewCheck]) -> None:
    for corpus in {each.question.article.corpus_id: each.question.article.corpus for each in new}.values():
        if corpus.pk != study.corpus_id and (lacks := fit_of(corpus, scheme).lacks):
            raise InvalidInputError("crowd.check_corpus_unfit", list(lacks))


def retire_check(*, check: Check, actor: Actor) -> None:
    """Put a check into no more tasks, and let it count for nobody; nothing happens when it is out of use already."""
    _put(check, timezone.now(), actor)


def use_again(*, check: Check, actor: Actor) -> None:
    """Put a check that was taken out of use into it again; nothing happens when it is in use."""
    _put(check, None, actor)


@transaction.atomic
def _put(check: Check, retired_at: datetime | None, actor: Actor) -> None:
    others = Check.objects.filter(pk=check.pk, retired_at__isnull=retired_at is not None)
    if others.update(retired_at=retired_at):
        change = {"check": (None, check.pk), "retired_at": (check.retired_at, retired_at)}
        record(actor, Verb.CHECKS_CHANGED, check, study=check.study, change=change)
    check.refresh_from_db()


@transaction.atomic
def change_rule(*, study: Study, actor: Actor, mixes_by_itself: bool = False, **values: Any) -> CheckRule:
    """Change how often a study mixes checks in, whether by itself, and what follows when somebody fails them.

    Raises
    ------
    InvalidInputError
        When a number cannot be, or something would follow without limit or words.
    """
    for field, (least, most) in LIMITS.items():
        number = values[field]
        if number is not None and not least <= number <= most:
            raise InvalidInputError("crowd.check_number_wrong", given=number, least=least, most=most)
    values["mixes_by_itself"] = mixes_by_itself
    values["words"] = " ".join(values["words"].split())
    if values["action"] != Action.NOTHING:
        if values["most_failed"] is None and values["least_percent"] is None:
            raise InvalidInputError("crowd.check_rule_without_limit")
        if not values["words"]:
            raise InvalidInputError("studies.reason_needed")
    if len(values["words"]) > MOST_WORDS:
        raise InvalidInputError("studies.reason_too_long", length=len(values["words"]), most=MOST_WORDS)
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    rule = CheckRule.objects.filter(study=study).first() or CheckRule(study=study)
    before = {field: getattr(rule, field) for field in FIELDS}
    for field in FIELDS:
        setattr(rule, field, values[field])
    change = differences(before, {field: values[field] for field in FIELDS})
    rule.save()
    if change:
        record(actor, Verb.CHECKS_RULE_CHANGED, study, study=study, change=change)
    return rule
