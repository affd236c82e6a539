"""Making a study of a corpus that has what its scheme shows: what the study builder does."""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.models import User
from annotation_platform.core.errors import InvalidInputError, NotThereError
from annotation_platform.core.schemes import build_scheme
from annotation_platform.corpus.models import Corpus
from annotation_platform.studies.arrivals import arriving, free_names
from annotation_platform.studies.models import Role, Study
from annotation_platform.studies.selectors import fit_of
from annotation_platform.studies.services import add_member, create_study, plan_batches


class UnfitCorpusError(InvalidInputError):
    """A corpus that lacks what a scheme shows. ``reasons`` name the questions."""


def build_study(
    *,
    owner: User | None,
    name: str,
    corpus: Corpus,
    definition: Mapping[str, Any],
    actor: Actor,
    and_then: Callable[[Study], None] = lambda study: None,
    **settings: Any,
) -> Study:
    """Make a study with its owner as admin and its batches planned as drafts; a round, which has no admin, without.

    It is stored piece by piece, so that others can write meanwhile, and hidden until the last piece is there.
    ``and_then`` is called with it in the transaction that stores the last piece.

    Raises
    ------
    UnfitCorpusError
        When the corpus lacks what the scheme shows.
    NotThereError
        When the corpus was deleted meanwhile.
    InvalidInputError
        When a setting cannot be, or the name is taken.
    DatabaseBusyError
        When others write all the time.
    """
    fit = fit_of(corpus, build_scheme(dict(definition)))
    if fit.lacks:
        raise UnfitCorpusError("studies.corpus_unfit", list(fit.lacks))
    name = " ".join(name.split())
    free_names(study=name)
    with arriving() as arrival:

        def begin() -> Study:
            if not Corpus.objects.select_for_update(no_key=True).filter(pk=corpus.pk).exists():
                raise NotThereError("studies.no_corpus")  # it was deleted meanwhile
            arriving_at = timezone.now()
            return create_study(name=name, corpus=corpus, definition=definition, arriving_at=arriving_at, **settings)

        study: Study = arrival.write(begin)
        arrival.study = study
        plan_batches(study=study, write=arrival.write)

        def appear() -> None:
            if owner is not None:
                add_member(study=study, role=Role.ADMIN, user=owner, actor=actor)
            and_then(study)
            arrival.end(actor=actor)

        arrival.write(appear)
    return study
