"""Frequent questions: writing, ordering and removing entries."""

from typing import Any

from django.db import transaction
from django.db.models import Max

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.annotations.models import Message
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.crowd.talk.models import FaqEntry
from annotation_platform.studies.models import Study

TEXTS = ("question_en", "answer_en", "question_ja", "answer_ja")


@transaction.atomic
def add_entry(*, study: Study, grown_from: Message | None = None, actor: Actor, **texts: str) -> FaqEntry:
    """Add an entry at the end.

    Raises
    ------
    InvalidInputError
        When no language has both a question and an answer, or one has only half of it.
    """
    _check(texts)
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)  # one after the other, for the order
    last = study.faq.aggregate(last=Max("position"))["last"] or 0
    entry = FaqEntry.objects.create(study=study, position=last + 1, grown_from=grown_from, **texts)
    record(actor, Verb.MEMBER_FAQ_CHANGED, entry, study=study, change={"question": ("", str(entry))})
    return entry


@transaction.atomic
def change_entry(*, entry: FaqEntry, actor: Actor, **texts: str) -> None:
    """Give an entry other words; refused as by :func:`add_entry`."""
    _check(texts)
    before = str(entry)
    for field in TEXTS:
        setattr(entry, field, texts[field])
    entry.save(update_fields=[*TEXTS, "changed_at"])
    record(actor, Verb.MEMBER_FAQ_CHANGED, entry, study=entry.study, change={"question": (before, str(entry))})


@transaction.atomic
def move_entry(*, entry: FaqEntry, up: bool, actor: Actor) -> None:
    """Let an entry change places with its neighbour; nothing happens at the end of the list."""
    Study.objects.select_for_update(no_key=True).get(pk=entry.study_id)
    entries: list[Any] = list(entry.study.faq.all())
    at = next(index for index, each in enumerate(entries) if each.pk == entry.pk)
    to = at - 1 if up else at + 1
    if not 0 <= to < len(entries):
        return
    entries[at], entries[to] = entries[to], entries[at]
    for position, each in enumerate(entries, 1):
        each.position = position
    FaqEntry.objects.bulk_update(entries, ["position"])
    record(actor, Verb.MEMBER_FAQ_CHANGED, entry, study=entry.study, change={"position": (at + 1, to + 1)})


@transaction.atomic
def remove_entry(*, entry: FaqEntry, actor: Actor) -> None:
    """Take an entry out of the list."""
    record(actor, Verb.MEMBER_FAQ_CHANGED, entry, study=entry.study, change={"question": (str(entry), "")})
    entry.delete()


def _check(texts: dict[str, str]) -> None:
    whole = 0
    for language in ("en", "ja"):
        question, answer = texts[f"question_{language}"], texts[f"answer_{language}"]
        if bool(question.strip()) != bool(answer.strip()):
            raise InvalidInputError("crowd.faq_half")
        whole += bool(question.strip())
    if not whole:
        raise InvalidInputError("crowd.faq_empty")
