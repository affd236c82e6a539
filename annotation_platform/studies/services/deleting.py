"""Deleting a study with all that hangs on it, in whatever app, and a corpus that nothing hangs on."""

from contextlib import suppress
from uuid import uuid4

from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import ConflictError, InvalidInputError, NotThereError
from annotation_platform.corpus.models import Corpus
from annotation_platform.studies.clearing import clear, is_used
from annotation_platform.studies.models import Batch, BatchState, Study
from annotation_platform.studies.protection import check_free

ROUNDS = 3


def delete_study(*, study: Study, typed_name: str, actor: Actor) -> None:
    """Delete a study with its batches, judgments, scores, figures and exports, and its rounds with theirs.

    Corpora stay.

    At once it is hidden, its batches take no more judgments, and its name is free. Then its rows go piece by piece, so
    that others can write meanwhile; what a killed process left of them goes with the next sweep.

    Raises
    ------
    InvalidInputError
        When what was typed is not the study's name.
    KeptError
        When something that was promised rests on it, or on a round of it.
    """
    check_typed_name(study=study, typed_name=typed_name)
    name = study.name
    with transaction.atomic():
        hidden = Study.objects.select_for_update().get(pk=study.pk)
        going = [hidden, *Study.objects.filter(qualifies_for=hidden).select_for_update()]
        for each in going:
            check_free(each)
        for each in going:
            _hide(each)
        record(actor, Verb.STUDY_DELETED, study, study=study, change={"name": (name, None)})
    for _ in range(ROUNDS):
        with suppress(IntegrityError):  # a worker was at it and wrote one row more
            clear(hidden)
            return


def _hide(study: Study) -> None:
    Batch.objects.filter(study=study).update(state=BatchState.CLOSED)
    study.name = study.slug = f"deleted-{uuid4()}"
    study.arriving_at = timezone.now()
    study.save(update_fields=["name", "slug", "arriving_at"])


class CorpusUsedError(ConflictError):
    """A study uses a corpus."""


def delete_corpus(*, corpus: Corpus, actor: Actor) -> None:
    """Delete a corpus that no study uses: at once it is hidden and its name is free, then its rows go piece by piece.

    Raises
    ------
    NotThereError
        When somebody else was faster.
    CorpusUsedError
        When a study, or a study's check, is made of it.
    """
    with transaction.atomic():
        hidden = Corpus.objects.select_for_update().filter(pk=corpus.pk).first()
        if hidden is None:
            raise NotThereError("studies.no_corpus")
        if is_used(hidden):
            raise CorpusUsedError("studies.corpus_used", name=hidden.name)
        record(actor, Verb.CORPUS_DELETED, hidden, study=None, change={"name": (hidden.name, None)})
        hidden.name, hidden.arriving_at = f"deleted-{uuid4()}", timezone.now()
        hidden.save(update_fields=["name", "arriving_at"])
    clear(hidden)


def check_typed_name(*, study: Study, typed_name: str) -> None:
    """Who deletes a study types its name first.

    Raises
    ------
    InvalidInputError
        When what was typed is another one.
    """
    if typed_name.strip() != study.name:
        raise InvalidInputError("studies.typed_name_differs")
